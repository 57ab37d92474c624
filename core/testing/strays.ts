const watching = new Set<unknown[]>();
/** One for all: statements that have not ended would become too many listeners. */
const listener = (reason: unknown) => {
	for (const strays of watching) strays.push(reason ?? new Error("rejected without a reason"));
};

/** Keeps rejections and errors that nobody has caught, instead of the end of the process; `end` gives what has come. */
export function watchStrays(): { end(): readonly unknown[] } {
	const strays: unknown[] = [];
	if (watching.size === 0) process.on("unhandledRejection", listener).on("uncaughtException", listener);
	watching.add(strays);
	return {
		end() {
			watching.delete(strays);
			if (watching.size === 0) process.off("unhandledRejection", listener).off("uncaughtException", listener);
			return strays;
		},
	};
}
