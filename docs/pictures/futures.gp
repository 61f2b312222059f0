# Draws futures.svg from the files of bench/tuning/draw_futures.cpp. README.md says how to run it.
set terminal svg noenhanced size 700,420 font 'Helvetica,12' background '#ffffff'
set output 'futures.svg'
set border 3 lc rgb '#444444'
set tics out nomirror scale 0.5
set grid lc rgb '#dddddd' lt 1
evidence = '#0072b2'
straight = '#e69f00'
hidden = '#999999'
index = '#d55e00'
set multiplot

set lmargin at screen 0.12; set rmargin at screen 0.97; set tmargin at screen 0.93; set bmargin at screen 0.66
set title 'Rewards of the arm' offset 0,-0.5
set xrange [1:330]
set yrange [0:1]
set ytics 0.5
set ylabel 'reward'
set xlabel 'pull' offset 0,0.6
set key bottom right samplen 2 opaque
plot 'futures/rewards.tsv' using 1:2 with points pt 7 ps 0.25 lc rgb '#888888' title 'reward', \
     '' using 1:3 with lines lw 2 lc rgb evidence title 'mean reward, unknown to the policy'

set tmargin at screen 0.42; set bmargin at screen 0.19
set label 1 'index' at screen 0.20,0.03 tc rgb index
set label 2 'hidden growth' at screen 0.33,0.03 tc rgb '#777777'
set label 3 'straight line' at screen 0.54,0.03 tc rgb straight
set label 4 'shapes of growth' at screen 0.72,0.03 tc rgb evidence
set style fill solid noborder
set boxwidth 0.036
set xrange [0:1]
set yrange [0:1]
set xtics 0.5
set ytics 0.5
unset key
do for [k=0:3] {
  left = 0.12 + 0.2167 * k
  set lmargin at screen left; set rmargin at screen left + 0.19
  if (k > 0) { set format y ''; unset ylabel; unset xlabel } else { set ylabel 'probability'; set xlabel 'reward per remaining pull' offset 8,0.4 }
  set autoscale
  stats 'futures/futures.tsv' using 1 index k nooutput name 'N'
  stats 'futures/futures.tsv' using 6 index k nooutput name 'I'
  set xrange [0:1]; set yrange [0:1]
  set title sprintf('after %d pulls', N_max) offset 0,-0.5
  set arrow 1 from I_max,0 to I_max,1 nohead lw 2 lc rgb index
  plot 'futures/futures.tsv' using 2:($3+$4+$5) index k with boxes lc rgb hidden, \
       '' using 2:($3+$4) index k with boxes lc rgb straight, \
       '' using 2:3 index k with boxes lc rgb evidence
}
unset multiplot
