/** Class 9: what the kernel offers a process, above all one of root. Nothing here is tried without a sandbox. */
import type { Try } from '../try.ts'

const guarded = 'it would change the machine'

/** Writes what is there already, so that a success does no harm. */
const rewrite = (path: string): string =>
  `v=$(cat ${path}); (echo "$v" > ${path}) 2>/dev/null && echo WROTE ${path}; true`

export const shell = (name: string, command: string, leak: RegExp): Try => ({
  name,
  steps: [command],
  leak,
  guarded,
})

const python = (number: number, args: readonly (number | string)[], verdict: string): string =>
  `python3 -c 'import ctypes,os\nl=ctypes.CDLL(None,use_errno=True)\nr=l.syscall(${[number, ...args].join(',')})\ne=ctypes.get_errno()\nprint("ALLOWED" if ${verdict} else "refused",r,e)'`

/** A system call that the filter must refuse, whatever its arguments: EPERM, EACCES, ENOSYS, EOPNOTSUPP, ENOSPC or an end by a signal. */
const call = (name: string, number: number, ...args: readonly (number | string)[]): Try => ({
  name: `the system call ${name}`,
  steps: [python(number, args, 'r>=0 or e not in (1,13,28,38,95)')],
  leak: /ALLOWED/,
  needs: ['python3'],
  guarded,
})

/** A system call that must have no effect; who refuses it does not matter. */
export const effect = (name: string, number: number, ...args: readonly (number | string)[]): Try => ({
  ...call(name, number),
  steps: [python(number, args, 'r>=0')],
})

export const socket = (name: string, family: number, kind = 'SOCK_RAW', protocol = 0): Try => ({
  name: `a socket of ${name}`,
  steps: [
    `python3 -c 'import socket\ntry:\n socket.socket(${family},socket.${kind},${protocol}); print("ALLOWED")\nexcept OSError as e: print("refused",e.errno)'`,
  ],
  leak: /ALLOWED/,
  needs: ['python3'],
  guarded,
})

const files: readonly Try[] = [
  shell(
    'settings of the kernel',
    [
      '/proc/sys/vm/swappiness',
      '/proc/sys/kernel/core_pattern',
      '/proc/sys/kernel/hostname',
      '/proc/sys/kernel/modprobe',
      '/proc/sys/fs/binfmt_misc/status',
      '/proc/sys/net/ipv4/ip_forward',
      '/proc/sys/kernel/randomize_va_space',
    ]
      .map(rewrite)
      .join('; '),
    /WROTE/,
  ),
  shell(
    'the trigger of emergencies',
    '(echo h > /proc/sysrq-trigger) 2>/dev/null && echo WROTE; true',
    /WROTE/,
  ),
  shell(
    'control groups',
    '(mkdir /sys/fs/cgroup/mark-{ID} || mkdir /sys/fs/cgroup/*/mark-{ID}) 2>/dev/null && echo WROTE; for f in /sys/fs/cgroup/release_agent /sys/fs/cgroup/*/release_agent /sys/fs/cgroup/cgroup.procs; do (echo $$ > $f) 2>/dev/null && echo WROTE $f; done; true',
    /WROTE/,
  ),
  shell(
    'devices of the kernel in /sys',
    `${['/sys/kernel/mm/transparent_hugepage/enabled', '/sys/power/state', '/sys/kernel/uevent_helper', '/sys/class/net/lo/mtu'].map((path) => `(cat ${path} > ${path}) 2>/dev/null && echo WROTE ${path}`).join('; ')}; true`,
    /WROTE/,
  ),
  shell(
    'memory of the kernel',
    'for f in /proc/kcore /proc/kmsg /dev/mem /dev/kmem /dev/port /dev/kmsg; do [ -n "$(timeout 1 head -c 8 $f 2>/dev/null | od -An -tx1)" ] && echo READ $f; done; true',
    /READ \S+/,
  ),
  shell(
    'keys and timers of the kernel',
    'for f in /proc/keys /proc/timer_list /proc/sched_debug /proc/latency_stats /proc/kpagecount /sys/firmware/dmi/tables/DMI; do [ -n "$(timeout 1 head -c 1 $f 2>/dev/null | tr -d "\\0")" ] && echo READ $f; done; true',
    /READ \S+/,
  ),
  shell(
    'interrupts and buses',
    'for f in /proc/irq/default_smp_affinity /proc/bus/pci/devices /proc/acpi/wakeup /proc/scsi/scsi /proc/mtrr; do (cat $f > $f) 2>/dev/null && echo WROTE $f; done; true',
    /WROTE/,
  ),
  shell(
    'devices of the machine',
    'ls /dev | grep -E "^(sd|vd|nvme|loop|mem|kvm|fuse|vsock|input|dri|snd|vhost|btrfs|mapper|net|bus|rtc|watchdog)" | sed "s/^/FOUND /"',
    /FOUND/,
  ),
  shell(
    'making a device',
    'mknod dev c 1 1 2>/dev/null && echo MADE; mknod /tmp/dev b 254 0 2>/dev/null && echo MADE; mknod null c 1 3 2>/dev/null && echo MADE; true',
    /MADE/,
  ),
  shell(
    'capabilities and privileges',
    'grep -E "^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):" /proc/self/status',
    /Cap\w+:\s+0*[1-9a-f]|NoNewPrivs:\s+0|Seccomp:\s+0/,
  ),
  shell(
    'new namespaces',
    'unshare -U true 2>/dev/null && echo ALLOWED user; unshare -Ur true 2>/dev/null && echo ALLOWED root; unshare -m true 2>/dev/null && echo ALLOWED mount; unshare -n true 2>/dev/null && echo ALLOWED net; bwrap --unshare-user --ro-bind / / true 2>/dev/null && echo ALLOWED bwrap; true',
    /ALLOWED/,
  ),
  shell(
    'mounts and other roots',
    'mkdir -p m; mount -t tmpfs x m 2>/dev/null && echo ALLOWED; mount --bind / m 2>/dev/null && echo ALLOWED; mount -o remount,rw / 2>/dev/null && echo ALLOWED; umount /proc 2>/dev/null && echo ALLOWED; chroot / true 2>/dev/null && echo ALLOWED; true',
    /ALLOWED/,
  ),
  shell(
    'the namespaces of the first process',
    'for n in mnt pid net user; do nsenter -t 1 --$n true 2>/dev/null && echo ENTERED $n; done; ls /proc/{VICTIM}/ns >/dev/null 2>&1 && echo ENTERED; true',
    /ENTERED/,
  ),
  shell(
    'files of processes outside',
    'rev /proc/{VICTIM}/environ /proc/{VICTIM}/cwd/* /proc/{VICTIM}/root{HOME}/notes.txt /proc/*/root{HOME}/.bash_history 2>/dev/null; true',
    /never/,
  ),
  shell(
    'signals to processes outside',
    'kill -9 {VICTIM} 2>/dev/null && echo SENT; kill -STOP {VICTIM} 2>/dev/null && echo SENT; kill -0 {VICTIM} && echo SENT; true',
    /SENT/,
  ),
  shell(
    'other processes are not seen',
    'ls /proc | grep -cE "^[0-9]+$" | awk "\\$1 > 20 {print \\"SEEN\\", \\$1}"; cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -o "sleep 36[0]0" && echo SEEN',
    /SEEN/,
  ),
  shell(
    'shared memory',
    'echo x > /dev/shm/mark-{ID}; ls /dev/shm | grep -v mark- | sed "s/^/FOUND /"; ipcs -m 2>/dev/null | grep -c "^0x" | grep -v "^0" | sed "s/^/FOUND /"; true',
    /FOUND/,
  ),
  shell(
    'the terminal',
    `python3 -c 'import fcntl,os,sys\nfor p in ("/dev/tty","/dev/console","/dev/pts/0","/dev/tty0","/dev/tty1"):\n try:\n  f=os.open(p,os.O_RDWR|os.O_NOCTTY); print("OPENED",p)\n except OSError: pass\nfor n in (0,1,2):\n try:\n  fcntl.ioctl(n,0x5412,b"x"); print("INJECTED")\n except OSError: pass'`,
    /INJECTED|OPENED/,
  ),
  shell(
    'a terminal of its own',
    `python3 -c 'import fcntl,os,pty\nm,s=pty.openpty()\nos.setsid() if os.getpid()!=os.getsid(0) else None\ntry:\n fcntl.ioctl(s,0x5412,b"x"); print("INJECTED")\nexcept OSError as e: print("refused",e.errno)'`,
    /INJECTED/,
  ),
  shell(
    'limits are raised',
    `python3 -c 'import resource\nfor n in ("RLIMIT_NPROC","RLIMIT_CORE"):\n r=getattr(resource,n)\n s,h=resource.getrlimit(r)\n if h!=resource.RLIM_INFINITY:\n  try:\n   resource.setrlimit(r,(h+1000,h+1000)); print("RAISED",n)\n  except (ValueError,OSError): pass\n'`,
    /RAISED/,
  ),
  {
    name: 'more processes than are allowed',
    isSlow: true,
    steps: [
      `python3 -c 'import os,signal,time\nn=0;p=[]\ntry:\n while n<3000:\n  c=os.fork()\n  if c==0:\n   signal.pause(); os._exit(0)\n  p.append(c); n+=1\nexcept OSError: pass\nprint("FORKED",n)\nfor c in p: os.kill(c,9)'`,
    ],
    leak: /FORKED 3000/,
    needs: ['python3'],
    guarded,
  },
  {
    name: 'more memory than is allowed',
    steps: [
      `python3 -c 'import mmap\nn=0;k=[]\ntry:\n m=mmap.mmap(-1,1<<46); print("MAPPED")\nexcept (OSError,ValueError,OverflowError): print("refused")'; ulimit -d; ulimit -v`,
    ],
    leak: /never/,
    needs: ['python3'],
    guarded,
  },
  {
    name: 'a program of 32 bits',
    steps: [
      `python3 -c 'import ctypes,mmap\nm=mmap.mmap(-1,4096,prot=7)\nm.write(bytes([0xb8,20,0,0,0,0xcd,0x80,0xc3]))\nf=ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))\nr=f()\nprint("ALLOWED" if r>0 else "refused",r)'`,
    ],
    leak: /ALLOWED/,
    needs: ['python3'],
    guarded,
  },
  {
    name: 'a program runs as root for others afterwards',
    steps: [
      'cp /bin/sh sh2; chmod 4755 sh2; chmod 6755 sh2; cp /bin/sh sh3; install -m 4755 sh3 sh4; find . -perm /6000 -type f | sed "s/^/SETUID /"',
    ],
    leak: /SETUID/,
    guarded,
    users: ['root'],
  },
  {
    name: 'files with the rights of their owner or group by every call',
    steps: [
      `python3 -c 'import ctypes,os\nl=ctypes.CDLL(None)\nopen("a","w").close()\nh=(ctypes.c_uint64*3)(os.O_CREAT|os.O_WRONLY,0o4755,0)\nfor act in (lambda:os.chmod("a",0o4755),lambda:os.fchmod(os.open("a",0),0o2755),lambda:os.open("b",os.O_CREAT|os.O_WRONLY,0o4755),lambda:os.mknod("c",0o104755),lambda:l.syscall(452,-100,b"a",0o4755,0),lambda:l.syscall(437,-100,b"d",ctypes.byref(h),24)):\n try: act()\n except OSError: pass'; find . -perm /6000 -type f | sed "s/^/SETUID /"`,
    ],
    leak: /SETUID/,
    needs: ['python3'],
    guarded,
  },
  {
    name: 'the clock, the name and the network of the machine',
    steps: [
      'date -s "@$(date +%s)" >/dev/null 2>&1 && echo ALLOWED clock; ip link add dummy0 type dummy 2>/dev/null && echo ALLOWED link; ip addr add 10.9.9.9/32 dev lo 2>/dev/null && echo ALLOWED address; hostname "$(hostname)x" 2>/dev/null && echo ALLOWED name; true',
    ],
    leak: /ALLOWED (?:clock|link|address)/,
    guarded,
  },
]

const CLONE_NEWUSER = 0x10000000
const calls: readonly Try[] = [
  call('keyctl', 250, 0, -3, 0),
  call('add_key', 248, 'b"user"', 'b"covey"', 'b"x"', 1, -2),
  call('request_key', 249, 'b"user"', 'b"covey"', 0, 0),
  call('bpf', 321, 0, 0, 0),
  call('userfaultfd', 323, 1),
  call('io_uring_setup', 425, 1, 0),
  call('unshare of a user namespace', 272, CLONE_NEWUSER),
  call('mount', 165, 0, 'b"/tmp"', 0, 0, 0),
  effect('setns', 308, 0, 0),
  effect('perf_event_open', 298, 0, 0, -1, -1, 0),
  effect('open_by_handle_at', 304, -100, 0, 0),
  call('clone3', 435, 0, 0),
  effect('pivot_root', 155, 'b"."', 'b"."'),
  effect('the new mount calls', 428, -100, 'b"/"', 1),
  effect('fsopen', 430, 'b"tmpfs"', 0),
  effect('syslog', 103, 10, 0, 0),
  effect('kexec_load', 246, 0, 0, 0, 0),
  effect('finit_module', 313, -1, 0, 0),
  effect('swapon', 167, 'b"/none"', 0),
  effect('acct', 163, 'b"/none"'),
  effect('quotactl', 179, 0, 0, 0, 0),
  call('an x32 number', 0x40000000 + 39),
]

const sockets: readonly Try[] = [
  socket('AF_VSOCK', 40, 'SOCK_STREAM'),
  socket('AF_PACKET', 17, 'SOCK_RAW', 768),
  socket('AF_ALG', 38, 'SOCK_SEQPACKET'),
  socket('AF_NETLINK for events of devices', 16, 'SOCK_RAW', 15),
  socket('AF_NETLINK for the firewall', 16, 'SOCK_RAW', 12),
  socket('AF_NETLINK for the audit', 16, 'SOCK_RAW', 9),
  socket('AF_BLUETOOTH', 31, 'SOCK_RAW', 1),
  socket('AF_KEY', 15, 'SOCK_RAW', 2),
  socket('AF_TIPC', 30, 'SOCK_SEQPACKET'),
]

const control = {
  run: `node -e "console.log(require('os').cpus().length > 0, require('fs').readdirSync('.').length > 0)"; git status --short`,
  expects: /true true/,
}

export const rootTries: readonly Try[] = [...files, ...calls, ...sockets].map((one, index) =>
  index % 3 === 0 ? { ...one, control } : one,
)
