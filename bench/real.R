# real.R FOLDER: measured data that Debian's r-cran-sp and r-cran-gstat carry, as tables with the response in the last column:
#   meuse.csv    log zinc of 155 soils by the Meuse; x, y in m, the distance to the river and the height
#   jura         log cadmium of soils of the Jura, by km; jura.csv and jura-test.csv, as its authors split it
#   sic97        rain over Switzerland on 8 May 1986, in 0.1 mm; the 100 stations given in the contest of 1997, and the 367 asked for
#   sic2004      gamma radiation in Germany, in nSv/h, on a plain day; 200 stations given in the contest of 2004, and 808 asked for
suppressPackageStartupMessages({ library(sp); library(gstat) })
folder <- commandArgs(trailingOnly = TRUE)[1]
write <- function(name, ...) write.csv(data.frame(...), file.path(folder, paste0(name, ".csv")), row.names = FALSE)
data(meuse, jura, sic97, sic2004)

write("meuse", x = meuse$x, y = meuse$y, dist = meuse$dist, elev = meuse$elev, z = log(meuse$zinc))
soils <- function(name, of) write(name, x = of$Xloc, y = of$Yloc, z = log(of$Cd))
soils("jura", jura.pred)
soils("jura-test", jura.val)
rain <- function(name, of) write(name, coordinates(of), z = of$rainfall)
rain("sic97", sic_obs)
rain("sic97-test", sic_full[!sic_full$ID %in% sic_obs$ID, ])
write("sic2004", x = sic.val$x, y = sic.val$y, z = sic.val$dayx)
write("sic2004-test", x = sic.test$x, y = sic.test$y, z = sic.test$dayx)
