import { type Definitions, type Runner, SvcError } from "../../contract/index.ts";

/**
 * What a runner knows of definitions. `SVC_INVALID` when there is no such runner on this node, or one that reads none.
 *
 * @param subject what the message begins with
 */
export function findDefinitions(runners: ReadonlyMap<string, Runner>, name: string, subject: string): Definitions {
	const definitions = runners.get(name)?.definitions;
	if (definitions !== undefined) return definitions;
	const readers = [...runners].filter(([, runner]) => runner.definitions !== undefined).map(([reader]) => `"${reader}"`);
	const known = readers.length === 0 ? "there is none here that does" : `those that do are ${readers.join(", ")}`;
	throw new SvcError("SVC_INVALID", `${subject}: runner "${name}" reads no definitions of workflows; ${known}`);
}
