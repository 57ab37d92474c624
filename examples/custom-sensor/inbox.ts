import { mkdir, readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { defineSensor, poll } from "svc-automation/contract";

/** Reports new files in a directory (relative to the data directory). */
export const inbox = defineSensor(
	"inbox",
	({ directory = "inbox", interval = 4 }: { directory?: string; interval?: number }) => {
		let path = directory;
		return {
			description: "Reports new files in a directory.",
			pack: "office",
			poll_interval: interval,
			trigger_types: [
				{
					name: "inbox.file",
					description: "A file has appeared.",
					payload_schema: { type: "object", properties: { name: { type: "string" }, bytes: { type: "integer" } }, required: ["name"] },
				},
			],
			async start({ dataDirectory }) {
				path = resolve(dataDirectory, directory);
				await mkdir(path, { recursive: true });
			},
			async run(context) {
				await poll(context, context.poll_interval ?? interval, async () => {
					const kept = (await context.state.get("seen")) ?? "[]";
					const names = (await readdir(path)).sort();
					for (const name of names.filter((name) => !JSON.parse(kept).includes(name))) {
						const { size: bytes, ino, birthtimeMs } = await stat(join(path, name));
						// The key prevents a second event for a file that was reported before a crash.
						await context.dispatch("office.inbox.file", { name, bytes }, { uniqueKey: `${ino}:${birthtimeMs}` });
					}
					const seen = JSON.stringify(names);
					if (seen !== kept) await context.state.set("seen", seen);
				});
			},
		};
	},
	{ contract: 1 },
);
