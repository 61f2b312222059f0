# Draws learning_curves.svg from the data of `longrun report`. README.md says how to run it.
set terminal svg noenhanced size 700,320 font 'Helvetica,12' background '#ffffff'
set output 'learning_curves.svg'
data = 'learning/figures/data/learning_curves.'
set datafile separator '\t'
set border 3 lc rgb '#444444'
set tics out nomirror scale 0.5
set grid lc rgb '#dddddd' lt 1
set logscale x
set xrange [1:500]
set xlabel 'minibatches'
unset key
set multiplot

simple = '#999999'
slow = '#d55e00'
other = '#0072b2'

set title 'Four classes of clusters (generated)'
set lmargin at screen 0.10; set rmargin at screen 0.47; set bmargin at screen 0.18; set tmargin at screen 0.88
set ylabel 'accuracy on held-out data'
set yrange [0.2:0.9]
set label 1 'slow network' at 25,0.35 tc rgb slow
set label 2 'other networks' at 1.15,0.44 tc rgb other
set label 3 'simple learners' at 1.15,0.84 tc rgb '#666666'
plot for [k=2:6] data.'clusters.1.curves.tsv' using 1:k with lines lc rgb simple, \
     for [k=7:8] '' using 1:k with lines lc rgb other, '' using 1:9 with lines lw 2.5 lc rgb slow

set title 'Diabetes, three classes'
set lmargin at screen 0.58; set rmargin at screen 0.97
unset ylabel
set yrange [0.33:0.6]
unset label 1; unset label 2; unset label 3
plot for [k=2:6] data.'others.3.curves.tsv' using 1:k with lines lc rgb simple, \
     for [k=7:8] '' using 1:k with lines lc rgb other, '' using 1:9 with lines lw 2.5 lc rgb slow
unset multiplot
