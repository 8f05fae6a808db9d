// Clean-up in reverse order: a page closes before the server that it talks to. node:test runs its own
// hooks in the order in which they were added.

const stacks = new WeakMap();

export function atEnd(t, action) {
  let stack = stacks.get(t);
  if (!stack) {
    stacks.set(t, (stack = []));
    t.after(async () => {
      const failures = [];
      for (const undo of stack.reverse()) {
        try {
          await undo();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    });
  }
  stack.push(action);
}
