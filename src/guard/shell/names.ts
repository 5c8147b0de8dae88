/** Names of programs by what is known about them. Pure data; `programs.ts` has the meaning of their options. */

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/**
 * Run what they are given, or change the shell that runs the rest. No rule covers what stands behind them, and a denied
 * program is looked for in their arguments.
 */
export const wrappers = set(`
  env xargs sudo doas su runuser nohup timeout nice ionice setsid stdbuf chrt taskset time watch strace ltrace gdb script
  parallel flock unshare nsenter chroot busybox toybox ssh setpriv prlimit systemd-run systemd-inhibit caffeinate proot
  fakeroot faketime expect unbuffer dbus-run-session xvfb-run firejail bwrap sandbox-exec start-stop-daemon run-parts logsave
  rlwrap catchsegv valgrind perf numactl cpulimit dotenv direnv entr ifne chronic sem at batch rush
  bash sh zsh dash ksh fish csh tcsh ash mksh pwsh
  command builtin exec eval source . trap coproc enable mapfile readarray compgen complete bind alias hash read let unset
  getopts set shopt ulimit umask wait history fc declare typeset local export readonly`)

/** Run or reach what their first argument names: a rule must name that as well. */
export const runners = set(`
  npx bunx pnpx uvx pipx tsx ts-node docker podman kubectl oc lxc vagrant ansible nix nix-shell mise asdf
  python python2 python3 pypy pypy3 perl ruby node nodejs deno bun php lua luajit tclsh wish Rscript java scala groovy guile
  racket osascript sqlite3 psql mysql mariadb redis-cli mongosh vi vim nvim ex ed emacs
  curl wget http nc ncat socat telnet ftp less more most`)

/** Do what their first argument says, harmless or not: a rule must say which. */
export const actors = set(`
  npm pnpm yarn bun pip pip3 poetry uv pdm pipenv conda gem bundle composer cargo go mvn gradle sbt dotnet swift mix make gmake
  ninja just task rake turbo nx lerna git hg svn gh rails systemctl service apt apt-get brew snap`)

/** Only print, whatever their options. */
export const readers = set(`
  ls dir vdir cat head tail wc nl tac rev cut paste tr fold fmt expand unexpand comm join cmp md5sum sha1sum sha224sum
  sha256sum sha384sum sha512sum b2sum cksum sum shasum md5 stat du df pwd basename dirname realpath readlink whoami id groups
  logname uname uptime free nproc tty users who which where whereis printenv type true false : echo seq expr factor numfmt od hexdump
  lscpu lsblk lsusb lspci lsmod getconf cal ncal look tsort pathchk grep egrep fgrep zcat bzcat xzcat
  cd pushd popd sleep exit column colrm pgrep pidof apropos whatis locale getent lsb_release sw_vers vm_stat`)

/** Change files or the machine, or run the project's own code. */
export const writers = set(`
  rm rmdir mv cp touch mkdir chmod chown chgrp ln link install dd truncate shred mkfifo mknod unlink mktemp patch split csplit
  sponge rename rsync scp sftp tar zip unzip gzip gunzip bzip2 bunzip2 xz unxz zstd 7z cpio ar kill pkill killall mount umount
  crontab systemctl service useradd userdel usermod passwd apt apt-get dpkg yum dnf apk pacman brew snap
  npm pnpm yarn bun pip pip3 poetry uv pdm pipenv conda gem bundle composer cargo go mvn gradle sbt dotnet swift mix
  make gmake ninja just task cmake meson ctest gcc g++ cc clang clang++ javac rustc
  pytest tox nox jest vitest mocha ava tsc eslint prettier biome oxlint ruff black isort mypy flake8 pylint rustfmt gofmt
  clang-format webpack vite rollup esbuild rspec rake phpunit playwright cypress next astro nuxt ng turbo nx lerna alembic
  rails hg svn gh`)

/** Say their version and end, without looking at the project first. */
const version: Readonly<Record<string, ReadonlySet<string>>> = {
  '--version':
    set(`node npm npx pnpm bun deno python python2 python3 pip pip3 uv ruby gem perl php go rustup java javac gcc g++
    cc clang clang++ ld make cmake ninja meson docker podman helm terraform tsc psql sqlite3 curl wget rg grep sed awk gawk find
    tar zip unzip jq bash zsh sh vim code ssh openssl zig julia lua tree less`),
  '-v': set('node npm npx pnpm bun php make tsc'),
  '-V': set('python python2 python3 pip pip3 curl ssh'),
  '-version': set('java javac ffmpeg'),
  version: set('go openssl terraform'),
}

export const tellsVersion = (name: string, option: string): boolean => version[option]?.has(name) ?? false
