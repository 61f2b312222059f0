# Draws costs.svg from costs.tsv, which bench/cost_table.py makes from a run of the benchmarks. README.md has the commands.
set terminal svg noenhanced size 960,300 font 'Helvetica,12' background '#ffffff'
set output 'costs.svg'
set datafile separator '\t'
set border 3 lc rgb '#444444'
set tics out nomirror scale 0.5
set grid lc rgb '#dddddd' lt 1
policies = 'greedy ucb exp3 spo foresight'
colours = '#999999 #0072b2 #cc79a7 #d55e00 #009e73'
set format x '10^%T'
set logscale xy
set multiplot layout 1,3
set ylabel 'ns per step, with its noise'
set title 'number of arms'
set key top left samplen 2 font ',11'
set xrange [1.5:15000]
plot for [i=1:words(policies)] 'costs.tsv' \
  using (strcol(1) eq 'arms' && strcol(2) eq word(policies, i) ? $3 : 1/0):4 \
  with linespoints pt 7 ps 0.5 lw 2 lc rgb word(colours, i) title word(policies, i)
unset key
unset ylabel
set title 'horizon, 2 arms'
set xrange [700:1500000]
plot for [i=1:words(policies)] 'costs.tsv' \
  using (strcol(1) eq 'horizon' && strcol(2) eq word(policies, i) ? $3 : 1/0):4 \
  with linespoints pt 7 ps 0.5 lw 2 lc rgb word(colours, i) notitle
set title 'threads: the whole paper, times as fast as one'
set format x '%.0f'
set logscale xy 2
set xrange [0.9:18]
set yrange [0.9:18]
plot x with lines lc rgb '#bbbbbb' dt (6,4) notitle, \
  'costs.tsv' using (strcol(1) eq 'threads' ? $3 : 1/0):4 with linespoints pt 7 ps 0.6 lw 2 lc rgb '#444444' notitle
unset multiplot
