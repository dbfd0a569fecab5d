//! A release build brings an allocator of its own, which ends the process if it is given memory of
//! another one: what crosses the boundary has to go back to where it came from.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process;

struct Marking;

#[global_allocator]
static ALLOCATOR: Marking = Marking;

const MARK: u64 = 0x6661_756c_7479_2121;

/// The memory that is asked for, with room for the mark in front, and how much room that is.
fn with_mark(layout: Layout) -> Option<(Layout, usize)> {
    Layout::new::<u64>().extend(layout).ok()
}

// SAFETY: each block is one of the system's, from the mark on.
unsafe impl GlobalAlloc for Marking {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((whole, room)) = with_mark(layout) else {
            return std::ptr::null_mut();
        };
        // SAFETY: the layout has at least the mark, which is written before the memory is given away.
        unsafe {
            let start = System.alloc(whole);
            if start.is_null() {
                return start;
            }
            start.cast::<u64>().write_unaligned(MARK);
            start.add(room)
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let Some((whole, room)) = with_mark(layout) else {
            process::abort();
        };
        // SAFETY: a block of this allocator has its mark in front. What is in front of another's may be
        // anything that can be read, and that it is not the mark is what is looked for.
        unsafe {
            let start = block.sub(room);
            if start.cast::<u64>().read_unaligned() != MARK {
                process::abort();
            }
            start.cast::<u64>().write_unaligned(0);
            System.dealloc(start, whole);
        }
    }
}
