import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { SvcError as SvcErrorOfIndex } from "svc-automation";
import { defineRunner, SvcError } from "svc-automation/contract";
import { SvcErrorOfPlugin } from "svc-plugin-mirror";

/** Says two words louder, the second when a file is there; and tells whether all see the same copy of the package. */
export const shout = defineRunner("shout", ({ suffix = "!" }: { suffix?: string }) => ({
	description: "Says it louder.",
	parameters: {
		text: { type: "string", required: true, description: "Two words." },
		file: { type: "string", description: "What to wait for between them." },
	},
	capabilities: { streaming: true, cancellation: true },
	async run({ runnerParameters: { text, file }, emit, captured, signal, dispatch }) {
		const [first = "", second = ""] = text.split(" ");
		await emit("stdout", `${first.toUpperCase()}${suffix}\n`);
		while (file && !existsSync(file)) await delay(20, undefined, { signal });
		await emit("stdout", `${second.toUpperCase()}${suffix}\n`);
		// An error that the service itself makes.
		const error: unknown = await dispatch("office.nothing", {}).catch((thrown: unknown) => thrown);
		const copies = {
			service: error instanceof SvcError,
			index: SvcErrorOfIndex === SvcError,
			plugin: SvcErrorOfPlugin === SvcError,
		};
		return { succeeded: true, result: { said: captured("stdout").text, copies } };
	},
}));
