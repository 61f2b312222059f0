# Draws regret_under_noise.svg from the data of `longrun report results`. README.md says how to run it.
set terminal svg noenhanced size 700,300 font 'Helvetica,12' background '#ffffff'
set output 'regret_under_noise.svg'
data = 'results/figures/data/regret_under_noise.1.'
set datafile separator '\t'
set border 3 lc rgb '#444444'
set tics out nomirror scale 0.5
set grid lc rgb '#dddddd' lt 1
set style fill transparent solid 0.18 noborder
unset key
set multiplot

set title 'Two arms that rise, then fall'
set lmargin at screen 0.10; set rmargin at screen 0.43; set bmargin at screen 0.19; set tmargin at screen 0.88
set xrange [0:2000]; set xtics 1000; set xlabel 'pulls of the arm'
set yrange [0:1]; set ytics 0.2; set ylabel 'mean reward' offset 1.5,0
set label 1 'arm 0' at 480,0.93 tc rgb '#4477aa'
set label 2 'arm 1' at 1350,0.65 tc rgb '#ee6677'
plot data . 'curves.tsv' using 1:2 with lines lc rgb '#4477aa' lw 2, '' using 1:3 with lines lc rgb '#ee6677' lw 2
unset label

set title 'Policy regret per step, noise sd 0.05'
set lmargin at screen 0.54; set rmargin at screen 0.86; set bmargin at screen 0.19; set tmargin at screen 0.88
set xrange [200:20000]; set xtics ('5000' 5000, '10000' 10000, '20000' 20000); set xlabel 'horizon T (pulls)'
set yrange [0:0.1]; set ytics 0.02; set ylabel 'mean over 30 runs' offset 1,0
set label 1 'greedy' at 20300,0.070 tc rgb '#009e73'
set label 2 'spo' at 20300,0.0165 tc rgb '#d55e00'
set label 3 'ucb' at 20300,0.0095 tc rgb '#332288'
set label 4 'foresight' at 20300,0.0015 tc rgb '#7b2cbf'
plot data . 'regret.tsv' using 1:9:10 with filledcurves fc rgb '#009e73', \
     '' using 1:6:7 with filledcurves fc rgb '#d55e00', '' using 1:3:4 with filledcurves fc rgb '#7b2cbf', \
     '' using 1:8 with lines lc rgb '#009e73' lw 1.5, '' using 1:11 with lines lc rgb '#332288' lw 1.5, \
     '' using 1:5 with lines lc rgb '#d55e00' lw 2.5, '' using 1:2 with lines lc rgb '#7b2cbf' lw 2.5
unset multiplot
