import type { Command } from "commander";
import type { ListQuery } from "../../client/page.ts";

/** A list of the API, and the attribute of its records that is a name which a command takes. */
export interface NameSource {
	/** Behind the version, such as `/rules`. */
	readonly path: string;
	readonly name: string;
	readonly query?: ListQuery;
}

const sources = new WeakMap<Command, NameSource>();

/** Say which list the names are in that the first argument of a command may be, or of the commands of a group: shells complete them. */
export function withNames(command: Command, source: NameSource): Command {
	sources.set(command, source);
	return command;
}

/** Where the names for the first argument of a command come from; files are no records. */
export function findNames(command: Command): NameSource | undefined {
	const [first] = command.registeredArguments;
	if (first === undefined || first.name() === "file") return undefined;
	return sources.get(command) ?? (command.parent === null ? undefined : sources.get(command.parent));
}
