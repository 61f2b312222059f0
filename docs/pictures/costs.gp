# Draws costs.svg from costs.tsv, the table of bench/cost_table.py. README.md says how both are made.
set encoding utf8
set datafile separator '\t'
stats 'costs.tsv' using (strcol(1) eq 'threads' ? $3 : 0) nooutput name 'T'  # T_max is 0 without this panel
height = T_max > 0 ? 760 : 510
at(share) = 1 - (1 - share) * 760.0 / height  # of the whole picture's height
set terminal svg noenhanced size 700,height font 'Helvetica,12' background '#ffffff'
set output 'costs.svg'
set border 3 lc rgb '#444444'
set tics out nomirror scale 0.5
set grid lc rgb '#dddddd' lt 1
policies = 'foresight spo ucb sw-ucb exp3 greedy'
colours = '#7b2cbf #d55e00 #332288 #cc79a7 #e69f00 #009e73'  # those of the catalog of policies
y(panel, policy) = (strcol(1) eq panel && strcol(2) eq policy) ? $4 : NaN
set multiplot
unset key
do for [i=1:words(policies)] {
  set label i at screen -0.01+0.145*i,at(0.975) center word(policies, i) tc rgb word(colours, i)
}
set logscale xy
powers = "('1' 1, '10' 10, '100' 100, '10³' 1e3, '10⁴' 1e4, '10⁵' 1e5, '10⁶' 1e6)"
eval 'set xtics '.powers
eval 'set ytics '.powers

set tmargin at screen at(0.91); set bmargin at screen at(0.71)
set lmargin at screen 0.10; set rmargin at screen 0.50
set title 'Time of a step' offset 0,-0.6
set ylabel 'ns' offset 1,0
set xlabel 'arms' offset 0,0.5
set xrange [1.6:12500]
set yrange [3:1e5]
plot for [i=1:words(policies)] 'costs.tsv' using 3:(y('time_by_arms', word(policies, i))) with linespoints pt 7 ps 0.5 lw 2 lc rgb word(colours, i)
do for [i=1:words(policies)] { unset label i }

set lmargin at screen 0.59; set rmargin at screen 0.97
set title 'Time of a step, 2 arms' offset 0,-0.6
set xlabel 'horizon' offset 0,0.5
set xrange [700:1.4e6]
plot for [i=1:words(policies)] 'costs.tsv' using 3:(y('time_by_horizon', word(policies, i))) with linespoints pt 7 ps 0.5 lw 2 lc rgb word(colours, i)

set tmargin at screen at(0.59); set bmargin at screen at(0.39)
set lmargin at screen 0.10; set rmargin at screen 0.50
set title 'Memory per arm' offset 0,-0.6
set ylabel 'bytes' offset 1,0
set xlabel 'arms' offset 0,0.5
set xrange [1.6:12500]
set yrange [20:3e5]
plot for [i=1:words(policies)] 'costs.tsv' using 3:(y('memory_by_arms', word(policies, i))) with linespoints pt 7 ps 0.5 lw 2 lc rgb word(colours, i)

set lmargin at screen 0.59; set rmargin at screen 0.97
set title 'Memory per arm, 2 arms' offset 0,-0.6
set xlabel 'horizon' offset 0,0.5
set xrange [700:1.4e6]
plot for [i=1:words(policies)] 'costs.tsv' using 3:(y('memory_by_horizon', word(policies, i))) with linespoints pt 7 ps 0.5 lw 2 lc rgb word(colours, i)

if (T_max > 0) {
  unset logscale
  set tmargin at screen at(0.27); set bmargin at screen at(0.07)
  set lmargin at screen 0.10; set rmargin at screen 0.50
  set title 'Speed of the whole paper' offset 0,-0.6
  set ylabel 'one thread = 1' offset 1,0
  set xlabel 'threads' offset 0,0.5
  step = T_max > 8 ? 2 : 1
  set xrange [0:T_max + 0.5]
  set yrange [0:T_max + 0.5]
  set xtics step, step
  set ytics 0, step
  set label 1 'speed = number of threads' at screen 0.56,at(0.22) tc rgb '#777777'
  set label 2 'measured' at screen 0.56,at(0.19) tc rgb '#0072b2'
  plot x with lines lw 1.5 dt 2 lc rgb '#999999', 'costs.tsv' using 3:(y('threads', 'all')) with linespoints pt 7 ps 0.6 lw 2 lc rgb '#0072b2'
}
unset multiplot
