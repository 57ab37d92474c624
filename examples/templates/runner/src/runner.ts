import { setTimeout as delay } from "node:timers/promises";
import { defineRunner } from "svc-automation/contract";

/** Prints a text line by line. */
export const templateName = defineRunner(
	"template-name",
	({ suffix = "" }: { suffix?: string }) => ({
		description: "Prints a text line by line.",
		parameters: {
			text: { type: "string", required: true, description: "Text to print." },
			pause: { type: "integer", default: 0, description: "Milliseconds after each line." },
			timeout: { type: "integer", default: 60, description: "Seconds after which the action is ended." },
		},
		capabilities: { streaming: true, cancellation: true },
		async run({ runnerParameters: { text, pause }, emit, captured, signal }) {
			for (const line of text.split("\n")) {
				if (signal.aborted) break;
				await emit("stdout", `${line}${suffix}\n`);
				// The delay ends early when the signal aborts.
				if (pause > 0) await delay(pause, undefined, { signal }).catch(() => {});
			}
			return { succeeded: !signal.aborted && text !== "", result: { said: captured("stdout").text } };
		},
	}),
	{ contract: 1 },
);
