import type { Command } from "commander";
import type { ListQuery } from "../../client/page.ts";

/** A list of the API, and the attribute of its records that commands accept as a name. */
export interface NameSource {
	/** Path after the version, such as `/rules`. */
	readonly path: string;
	readonly name: string;
	readonly query?: ListQuery;
}

const sources = new WeakMap<Command, NameSource>();

/**
 * Declares the list that contains the names for the first argument of a command, or of all commands of a group. Shells complete these
 * names.
 */
export function withNames(command: Command, source: NameSource): Command {
	sources.set(command, source);
	return command;
}

/** Returns the list with the names for the first argument of a command. Returns undefined if the argument is a file. */
export function findNames(command: Command): NameSource | undefined {
	const [first] = command.registeredArguments;
	if (first === undefined || first.name() === "file") return undefined;
	return sources.get(command) ?? (command.parent === null ? undefined : sources.get(command.parent));
}
