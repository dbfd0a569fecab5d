//! A global allocator for release builds. It aborts when it frees memory of another allocator,
//! since each side of the boundary has to free its own memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process;

struct Marking;

#[global_allocator]
static ALLOCATOR: Marking = Marking;

const MARK: u64 = 0x6661_756c_7479_2121;

/// Returns the requested layout with space for the mark in front, and the size of that space.
fn with_mark(layout: Layout) -> Option<(Layout, usize)> {
    Layout::new::<u64>().extend(layout).ok()
}

// SAFETY: each block is allocated by the system's allocator, starting with the mark.
unsafe impl GlobalAlloc for Marking {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some((whole, room)) = with_mark(layout) else {
            return std::ptr::null_mut();
        };
        // SAFETY: the layout has space for the mark, which is written before the pointer is
        // returned.
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
        // SAFETY: a block of this allocator has its mark in front. The memory in front of
        // another block is readable, and is compared with the mark.
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
