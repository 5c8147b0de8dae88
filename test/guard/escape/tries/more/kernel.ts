/** More of what the kernel offers: numbers with bits that only a filter sees, calls that are newer than it, whole folders. */
import type { Try } from '../../try.ts'
import { effect, shell, socket } from '../root.ts'

const HIGH = 2 ** 32

const python = (name: string, code: string): Try => ({
  ...shell(name, `python3 -c '${code}'`, /ALLOWED/),
  needs: ['python3'],
})

const CALL =
  'import ctypes,os,fcntl,pty\nl=ctypes.CDLL(None,use_errno=True)\nc=lambda *a: l.syscall(*[ctypes.c_long(x) if isinstance(x,int) else x for x in a])\n'

export const freshRootTries: readonly Try[] = [
  shell(
    'every file of the kernel that can be written',
    'find /proc/sys /proc/irq /proc/bus /proc/fs /proc/acpi /proc/scsi /proc/driver /sys -type f -writable 2>/dev/null | head -3 | sed "s/^/WRITABLE /"; find /dev \\( -type b -o -type c \\) -writable 2>/dev/null | grep -vE "^/dev/(null|zero|full|random|urandom|tty|ptmx|pts/[0-9]+|pts/ptmx|console)$" | sed "s/^/WRITABLE /"; true',
    /WRITABLE/,
  ),
  python(
    'a key is pressed on the terminal by a number with more bits',
    `${CALL}m,s=pty.openpty()\nfor n in (0x5412,${HIGH}+0x5412,0x541c,${HIGH}+0x541c):\n print("ALLOWED" if c(16,s,n,b"x")>=0 else "refused",hex(n))`,
  ),
  python(
    'a family of sockets by a number with more bits',
    `${CALL}for n in (40,17,38):\n for kind in (1,3,5):\n  print("ALLOWED" if c(41,${HIGH}+n,kind,0)>=0 else "refused",n)`,
  ),
  python(
    'rights of the owner by calls that are newer than most filters',
    `${CALL}import struct\nopen("a","w").close()\nv=struct.pack("<IIIII",0x02000001,0xffffffff,0,0xffffffff,0)\nb=ctypes.create_string_buffer(v,20)\ng=ctypes.create_string_buffer(struct.pack("<QII",ctypes.addressof(b),20,0),16)\nc(452,-100,b"a",0o4755,0)\nc(188,b"a",b"security.capability",b,20,0)\nc(463,-100,b"a",0,b"security.capability",g,16)\nc(463,-100,b"a",0,b"trusted.x",g,16)\nprint("ALLOWED mode" if os.stat("a").st_mode & 0o6000 else "plain")\nprint("ALLOWED" if set(os.listxattr("a")) & set(("security.capability","trusted.x")) else "none")`,
  ),
  python(
    'processes outside by their numbers',
    `${CALL}for n,args in ((101,(16,{VICTIM},0,0)),(434,({VICTIM},0)),(302,({VICTIM},7,0,0)),(312,(1,{VICTIM},0,0,0)),(279,({VICTIM},0,0,0,0,0)),(141,(0,{VICTIM},5)),(144,({VICTIM},0,0))):\n print("ALLOWED" if c(n,*args)>=0 else "refused",n)`,
  ),
  python(
    'a file cannot be changed or removed any more',
    `${CALL}open("kept","w").close()\nf=os.open("kept",os.O_RDONLY)\nfor flag in (0x10,0x20):\n try:\n  fcntl.ioctl(f,0x40086602,flag.to_bytes(8,"little")); print("ALLOWED",flag)\n except OSError as e: print("refused",e.errno)`,
  ),
  shell(
    'maps of users and the order of killing',
    '(echo "0 0 1" > /proc/self/uid_map) 2>/dev/null && echo WROTE; (echo allow > /proc/self/setgroups) 2>/dev/null && echo WROTE; (echo -1000 > /proc/self/oom_score_adj) 2>/dev/null && echo WROTE; (echo 100 > /proc/sys/kernel/ns_last_pid) 2>/dev/null && echo WROTE; chroot . true 2>/dev/null && echo WROTE; nice -n -5 true 2>&1 | grep -q cannot || nice -n -5 sh -c "[ \\$(nice) -lt 0 ] && echo WROTE"; true',
    /WROTE/,
  ),
  effect('mount_setattr', 442, -100, 'b"/"', 0, 0, 0),
  effect('fanotify_init', 300, 0, 0),
  effect('name of the machine', 170, 'b"x"', 1),
  effect('reboot', 169, 0, 0, 0, 0),
  effect('iopl', 172, 3),
  socket('AF_XDP', 44, 'SOCK_RAW'),
  socket('AF_CAN', 29, 'SOCK_RAW', 1),
  socket('AF_RDS', 21, 'SOCK_SEQPACKET'),
  socket('AF_INET, raw', 2, 'SOCK_RAW', 1),
]
