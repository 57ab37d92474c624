import { basename } from "node:path";
import { defineSensor, poll, type SensorContext, type SensorTrigger, SvcError, toErrorMessage } from "../../core/contract/index.ts";
import type { StoredPosition } from "./position.ts";
import { Tail } from "./tail.ts";
import { createWatchedFiles, type WatchedFiles } from "./watched-files.ts";

export interface FileWatchOptions {
	/** Absolute paths of files that rules may watch, and of directories whose files they may watch. */
	readonly paths: readonly string[];
	/** Seconds between two polls of each file. Default 1. */
	readonly interval?: number;
}

const defaultInterval = 1;

interface Watched {
	readonly path: string;
	readonly tail: Tail;
	/** The last problem with the file, so that a problem is not logged at every poll. */
	problem: string | undefined;
}

/** Dispatches `linux.file_watch.line` for each line appended to a file that a rule watches. */
export const fileWatch = defineSensor("file-watch", (options: FileWatchOptions) => {
	assertOptions({ ...options });
	const { paths, interval = defaultInterval } = options;
	const files = createWatchedFiles(paths);
	return {
		description: "Dispatches lines that are appended to files.",
		pack: "linux",
		trigger_types: [
			{
				name: "file_watch.line",
				description: "A line was appended to a file.",
				parameters_schema: {
					type: "object",
					properties: { file_path: { type: "string", description: "Absolute path of the file.", required: true } },
					additionalProperties: false,
				},
				payload_schema: {
					type: "object",
					properties: { file_path: { type: "string" }, file_name: { type: "string" }, line: { type: "string" } },
				},
			},
		],
		async run(context) {
			const watched = new Map<string, Watched>();
			let isTidy = false;
			try {
				await poll(context, interval, async () => {
					if (!isTidy) await forgetGone(context);
					isTidy = true;
					await look(context, watched, files);
				});
			} finally {
				for (const { path, tail } of watched.values()) {
					await tail.stop().catch((error: unknown) => {
						context.logger.warn("position in a file could not be stored", { file_path: path, problem: toErrorMessage(error) });
					});
				}
			}
		},
	};
});

/** Validates the options for plain JavaScript. Throws `SVC_CONFIG` with all options that are missing, unknown or of the wrong type. */
function assertOptions({ paths, interval = defaultInterval, ...unknown }: Readonly<Record<string, unknown>>): void {
	const isPaths = Array.isArray(paths) && paths.every((path) => typeof path === "string");
	const problems = [
		...(isPaths ? [] : [`paths: ${paths === undefined ? "is required:" : "must be"} a list of absolute paths of files and directories`]),
		...(typeof interval === "number" && interval > 0 ? [] : ["interval: must be a number of seconds greater than 0"]),
		...Object.keys(unknown).map((name) => `${name}: unknown option; allowed: paths, interval`),
	];
	if (problems.length > 0) throw new SvcError("SVC_CONFIG", `sensor file-watch: ${problems.join("; ")}`, { facts: { problems } });
}

/** Reads new lines of every file that has a trigger. A file that cannot be read does not affect the others. */
async function look(context: SensorContext, watched: Map<string, Watched>, files: WatchedFiles): Promise<void> {
	const triggers = new Map((await context.triggers()).map((trigger) => [toStateName(trigger), trigger]));
	for (const [name, { tail }] of watched) {
		if (triggers.has(name)) continue;
		watched.delete(name);
		await tail.stop();
		await context.state.delete(name);
	}
	for (const [name, trigger] of triggers) {
		if (!watched.has(name)) watched.set(name, watch(context, name, trigger, files));
	}
	const looks = [...watched.values()].map(async (one) => {
		try {
			await one.tail.look();
			one.problem = undefined;
		} catch (error) {
			if (context.signal.aborted) return;
			const problem = toErrorMessage(error);
			if (problem !== one.problem) context.logger.warn("a file cannot be watched", { file_path: one.path, problem });
			one.problem = problem;
		}
	});
	await Promise.all(looks);
}

/**
 * Deletes the positions of triggers that were removed while the sensor was not running. If such a trigger is created again, only lines
 * appended afterwards are reported.
 */
async function forgetGone({ state, triggers }: SensorContext): Promise<void> {
	const names = new Set((await triggers()).map(toStateName));
	for (const { name } of await state.list()) if (!names.has(name)) await state.delete(name);
}

function watch({ state, dispatch, signal, logger }: SensorContext, name: string, trigger: SensorTrigger, files: WatchedFiles): Watched {
	const path = String(trigger.parameters["file_path"]);
	const payload = { file_path: path, file_name: basename(path) };
	const tail = new Tail({
		path,
		files,
		signal,
		async load() {
			const text = await state.get(name);
			return text === undefined ? undefined : (JSON.parse(text) as StoredPosition);
		},
		save: (position) => state.set(name, JSON.stringify(position)),
		async onLine(line, key) {
			await dispatch(trigger.ref, { ...payload, line }, { uniqueKey: key });
		},
		onGap: () => logger.warn("a file was replaced while it was not watched; its last lines are lost", { file_path: path }),
	});
	return { path, tail, problem: undefined };
}

/** Returns the name under which the position of a trigger is stored. The path of the file may be too long for that. */
function toStateName({ ref }: SensorTrigger): string {
	return ref.slice(ref.indexOf(".") + 1);
}
