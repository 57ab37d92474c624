import { type Command, InvalidArgumentError } from "commander";
import type { CliContext } from "../context.ts";
import type { FormatOptions } from "../output.ts";
import type { CredentialOptions } from "../session.ts";
import type { GlobalOptions } from "../settings.ts";

/** What every command that talks to the service takes. */
export type CommonOptions = GlobalOptions & CredentialOptions & FormatOptions;

/** Declares commands on their parent. */
export type AddCommands = (parent: Command, context: CliContext) => void;

/** Add the options of every command that talks to the service: credentials, and the form of what is printed. */
export function withCommonOptions(command: Command): Command {
	return command
		.option("-t, --token <token>", "token (SVC_AUTH_TOKEN)")
		.option("--api-key <key>", "API key (SVC_API_KEY)")
		.option("-j, --json", "print JSON")
		.option("-y, --yaml", "print YAML");
}

/** Options of a command together with the global ones. */
export function optionsOf<O extends object>(command: Command): O & CommonOptions {
	return command.optsWithGlobals();
}

export function toInteger(text: string): number {
	if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError("expected an integer.");
	return Number(text);
}

/** Words of a table's columns: given ones, or the default. */
export function toWords(text: string): string[] {
	return text.split(",").map((word) => word.trim());
}
