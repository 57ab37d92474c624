import { defineRunner } from "../../contract/index.ts";

/** What somebody might print or name a thing to get into the page of somebody else. */
export const hostileText = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>\u202etxt.exe\u0000`;

/**
 * Prints what its parameters say: `lines` numbered lines, `text` as it is, `errors` on stderr. With `fail` it fails, with `wait` it goes on
 * until it is canceled, with `every` it prints a line each so many milliseconds meanwhile.
 */
export const chatty = defineRunner("chatty", () => ({
	description: "Prints.",
	capabilities: { streaming: true, cancellation: true },
	parameters: {
		lines: { type: "integer", default: 0 },
		text: { type: "string", default: "" },
		errors: { type: "string", default: "" },
		fail: { type: "string", default: "" },
		wait: { type: "boolean", default: false },
		every: { type: "integer", default: 0 },
	},
	async run({ runnerParameters: { lines, text, errors, fail, wait, every }, emit, signal }) {
		const step = 5_000;
		for (let first = 1; first <= lines; first += step) {
			const count = Math.min(step, lines - first + 1);
			await emit("stdout", Array.from({ length: count }, (_, index) => `line ${first + index} of the output\n`).join(""));
		}
		if (text !== "") await emit("stdout", text);
		if (errors !== "") await emit("stderr", errors);
		for (let number = 1; every > 0 && !signal.aborted; number += 1) {
			await emit("stdout", `tick ${number}\n`);
			await new Promise((resolve) => setTimeout(resolve, every));
		}
		if (wait && !signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
		return { succeeded: fail === "" && !wait, result: fail === "" ? { printed: text } : { error: fail } };
	},
}));
