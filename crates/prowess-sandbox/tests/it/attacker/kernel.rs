//! Attacks by parts of the kernel that no program of this kind needs.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::IntoRawFd;

use super::calls::{address, attempt, call, output, signed, text};
use super::{Attack, By};

pub(super) const ATTACKS: &[Attack] = &[
    ("finds the keys of the session", By::Anyone, |_| {
        // KEYCTL_GET_KEYRING_ID of the session's keyring, which is created if there is none.
        attempt(libc::SYS_keyctl, &[0, signed(-3), 1])
    }),
    ("adds a key", By::Anyone, |_| {
        let kind = text("user");
        let name = text("attack");
        let key = [address(&*kind), address(&*name), address(b"x"), 1, signed(-2)];
        attempt(libc::SYS_add_key, &key)
    }),
    ("opens a ring of calls", By::Anyone, |_| {
        let mut parameters = [0_u64; 15];
        attempt(libc::SYS_io_uring_setup, &[4, output(&mut parameters)])
    }),
    ("handles page faults", By::Anyone, |_| attempt(libc::SYS_userfaultfd, &[1])),
    ("loads a map into the kernel", By::Root, |_| {
        // BPF_MAP_CREATE of an array: type, key size, value size, entries.
        let map = [2_u32, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        attempt(libc::SYS_bpf, &[0, address(&map), 64])
    }),
    ("counts events of the processor", By::Root, |_| {
        // PERF_TYPE_SOFTWARE with the clock of the processor, of this process.
        let mut event = [0_u32; 28];
        event[0] = 1;
        event[1] = 112;
        let every = signed(-1);
        attempt(libc::SYS_perf_event_open, &[address(&event), 0, every, every, 0])
    }),
    ("reads the kernel's messages", By::Root, |_| attempt(libc::SYS_syslog, &[10, 0, 0])),
    ("changes the name of the machine", By::Root, |_| {
        let name = rustix::system::uname().nodename().to_owned();
        let length = name.to_bytes().len() as u64;
        attempt(libc::SYS_sethostname, &[address(&*name), length])
    }),
    ("changes what the keyboard restarts", By::Root, |_| {
        attempt(libc::SYS_reboot, &[0xfee1_dead, 0x2812_1969, 0])
    }),
    ("reads the clock's adjustment", By::Anyone, |_| {
        let mut adjustment = [0_u64; 32];
        attempt(libc::SYS_adjtimex, &[output(&mut adjustment)])
    }),
    ("creates shared memory", By::Anyone, |_| {
        let segment = call(libc::SYS_shmget, &[0, 4096, 0o1600])?.cast_unsigned();
        attempt(libc::SYS_shmctl, &[segment, 0, 0])
    }),
    ("creates semaphores", By::Anyone, |_| {
        let set = call(libc::SYS_semget, &[0, 1, 0o1600])?.cast_unsigned();
        attempt(libc::SYS_semctl, &[set, 0, 0, 0])
    }),
    ("creates a queue", By::Anyone, |_| {
        let queue = call(libc::SYS_msgget, &[0, 0o1600])?.cast_unsigned();
        attempt(libc::SYS_msgctl, &[queue, 0, 0])
    }),
    ("turns off randomness of addresses", By::Anyone, |_| {
        attempt(libc::SYS_personality, &[0x0004_0000])
    }),
    #[cfg(target_arch = "x86_64")]
    ("makes a system call of 32 bits", By::Anyone, |_| in_process(|| pid_of_32_bits() > 0)),
    #[cfg(target_arch = "x86_64")]
    ("makes a system call of x32", By::Anyone, |_| {
        // A kernel without this interface reports that the call is missing, as it does for others.
        in_process(|| {
            let answer = call(libc::SYS_getpid | X32, &[]);
            answer.map_or_else(|error| error.raw_os_error() == Some(libc::ENOSYS), |pid| pid > 0)
        })
    }),
    ("types into a terminal", By::Root, |_| {
        call(libc::SYS_setsid, &[])?;
        let pair = OpenOptions::new().read(true).write(true).open("/dev/ptmx")?;
        // The process would end with its terminal.
        let pair = u64::from(pair.into_raw_fd().cast_unsigned());
        let unlocked = 0_i32;
        call(libc::SYS_ioctl, &[pair, libc::TIOCSPTLCK, address(&unlocked)])?;
        let flags = u64::from((libc::O_RDWR | libc::O_NOCTTY).cast_unsigned());
        let terminal = call(libc::SYS_ioctl, &[pair, libc::TIOCGPTPEER, flags])?.cast_unsigned();
        call(libc::SYS_ioctl, &[terminal, libc::TIOCSCTTY, 0])?;
        attempt(libc::SYS_ioctl, &[terminal, libc::TIOCSTI, address(b"x")])
    }),
];

/// The bit of numbers of the interface x32.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

/// Runs an attack in a process of its own, because the filter ends a process that attempts it.
#[cfg(target_arch = "x86_64")]
fn in_process(is_answered: impl Fn() -> bool) -> io::Result<()> {
    match call(libc::SYS_clone, &[signed(libc::SIGCHLD), 0, 0, 0, 0])? {
        0 => attempt(libc::SYS_exit_group, &[u64::from(!is_answered())]),
        started => {
            let mut status = 0_i32;
            let started = started.cast_unsigned();
            attempt(libc::SYS_wait4, &[started, output(&mut status), 0, 0])?;
            let is_answered = libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0;
            is_answered.then_some(()).ok_or_else(|| io::Error::other("it was ended"))
        }
    }
}

/// Asks for the number of this process by the interface for programs of 32 bits.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "no library makes such a call")]
fn pid_of_32_bits() -> i32 {
    let mut number = 20_i32;
    // SAFETY: `getpid` takes nothing and changes the register of its result alone.
    unsafe {
        std::arch::asm!("int 0x80", inlateout("eax") number, out("r8") _, out("r9") _, out("r10") _, out("r11") _);
    }
    number
}
