//! The numbers of denied system calls, by reason.

/// Flags of `clone` that make namespaces.
pub(super) const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

/// Calls that change a file that may be read only. The first version of Landlock permits them.
pub(super) const CHANGES_OF_FILES: [i64; 2] = [libc::SYS_fchmod, libc::SYS_truncate];

/// Calls that report changes of files, also of files that cannot be opened.
pub(super) const WATCHES: &[i64] = &[
    libc::SYS_inotify_add_watch,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    libc::SYS_inotify_init1,
];

/// Calls that start processes or signal others.
pub(super) const PROCESSES: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
];

/// Calls that nothing inside may make.
#[rustfmt::skip]
pub(super) const ALWAYS: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev,
    libc::SYS_process_madvise, libc::SYS_process_mrelease, libc::SYS_kcmp, libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd, libc::SYS_pidfd_send_signal, libc::SYS_setpriority,
    libc::SYS_ioprio_set, libc::SYS_sched_setattr, libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler, libc::SYS_migrate_pages, libc::SYS_move_pages,
    // Users, groups, capabilities and privileges.
    libc::SYS_setuid, libc::SYS_setgid, libc::SYS_setreuid, libc::SYS_setregid,
    libc::SYS_setresuid, libc::SYS_setresgid, libc::SYS_setfsuid, libc::SYS_setfsgid,
    libc::SYS_setgroups, libc::SYS_capset, libc::SYS_personality,
    // Namespaces and mounts.
    libc::SYS_unshare, libc::SYS_setns, libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root,
    libc::SYS_chroot, libc::SYS_open_tree, libc::SYS_move_mount, libc::SYS_fsopen,
    libc::SYS_fsconfig, libc::SYS_fsmount, libc::SYS_fspick, libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at, libc::SYS_name_to_handle_at, libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    // Owners, modes, dates and attributes of files by path, which Landlock does not look at.
    libc::SYS_fchmodat, libc::SYS_fchmodat2, libc::SYS_fchown, libc::SYS_fchownat,
    libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr, libc::SYS_removexattr,
    libc::SYS_lremovexattr, libc::SYS_fremovexattr, libc::SYS_utimensat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    // Memory and queues that others may share.
    libc::SYS_shmget, libc::SYS_shmat, libc::SYS_shmctl, libc::SYS_semget, libc::SYS_semctl,
    libc::SYS_semop, libc::SYS_semtimedop, libc::SYS_msgget, libc::SYS_msgsnd, libc::SYS_msgrcv,
    libc::SYS_msgctl, libc::SYS_mq_open, libc::SYS_mq_unlink, libc::SYS_memfd_secret,
    // Keys.
    libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl,
    // The kernel and the machine.
    libc::SYS_bpf, libc::SYS_perf_event_open, libc::SYS_userfaultfd, libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter, libc::SYS_io_uring_register, libc::SYS_vmsplice,
    libc::SYS_init_module, libc::SYS_finit_module, libc::SYS_delete_module, libc::SYS_kexec_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    libc::SYS_reboot, libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_acct, libc::SYS_quotactl,
    libc::SYS_quotactl_fd, libc::SYS_syslog, libc::SYS_settimeofday, libc::SYS_clock_settime,
    libc::SYS_clock_adjtime, libc::SYS_adjtimex, libc::SYS_sethostname, libc::SYS_setdomainname,
    libc::SYS_vhangup, libc::SYS_lookup_dcookie, libc::SYS_nfsservctl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ustat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_sysfs,
];
