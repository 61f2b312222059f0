# Draws frontier.svg from frontier.tsv: G and M of configurations of foresight. README.md says where they come from.
set terminal svg noenhanced size 480,340 font 'Helvetica,12' background '#ffffff'
set output 'frontier.svg'
set datafile separator '\t'
set border 3 lc rgb '#444444'
set tics out nomirror scale 0.5
set grid lc rgb '#dddddd' lt 1
set xlabel 'G'
set ylabel 'M'
set xrange [0.255:0.29]
set yrange [0.27:0.32]
set xtics 0.01
set ytics 0.01
unset key
set label 1 'second version' at 0.2848,0.3152 right tc rgb '#d55e00'
set label 2 'third version' at 0.2775,0.2865 tc rgb '#0072b2'
set arrow 1 from 0.2772,0.2866 to 0.2655,0.287 nohead lc rgb '#0072b2'
set label 3 'now' at 0.2775,0.2968 tc rgb '#7b2cbf'
set arrow 2 from 0.2772,0.2967 to 0.2645,0.2941 nohead lc rgb '#7b2cbf'
plot 'frontier.tsv' using ($3==0 ? $1 : 1/0):2 with points pt 7 ps 0.45 lc rgb '#999999', \
     '' using ($3==1 ? $1 : 1/0):2 with points pt 7 ps 0.9 lc rgb '#d55e00', \
     '' using ($3==2 ? $1 : 1/0):2 with points pt 7 ps 0.9 lc rgb '#0072b2', \
     '' using ($3==3 ? $1 : 1/0):2 with points pt 7 ps 0.9 lc rgb '#7b2cbf'
