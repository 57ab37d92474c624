import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { defineSensor, poll } from "svc-automation/contract";

/** Tells of files that appear in a directory. */
export const templateName = defineSensor(
	"template-name",
	({ directory, interval = 4 }: { directory: string; interval?: number }) => ({
		description: "Dispatches an event for each new file in a directory.",
		poll_interval: interval,
		trigger_types: [
			{
				name: "template-name.file",
				description: "A file has appeared.",
				payload_schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
			},
		],
		async run(context) {
			await poll(context, context.poll_interval ?? interval, async () => {
				const kept = (await context.state.get("seen")) ?? "[]";
				const names = (await readdir(directory)).sort();
				for (const name of names.filter((name) => !JSON.parse(kept).includes(name))) {
					const { ino, birthtimeMs } = await stat(join(directory, name));
					// With the key, a file that was told of before a crash is not told of again.
					await context.dispatch("default.template-name.file", { name }, { uniqueKey: `${ino}:${birthtimeMs}` });
				}
				const seen = JSON.stringify(names);
				if (seen !== kept) await context.state.set("seen", seen);
			});
		},
	}),
	{ contract: 1 },
);
