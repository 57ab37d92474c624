import { type Command, InvalidArgumentError, Option } from "commander";
import type { CliContext } from "../context.ts";
import { type FormatOptions, outputForms } from "../print-records.ts";
import type { CredentialOptions } from "../session.ts";
import type { GlobalOptions } from "../settings.ts";
import { parseCommaList } from "./comma-list.ts";

/** Options of every command that calls the service. */
export type CommonOptions = GlobalOptions & CredentialOptions & FormatOptions;

/** Declares commands on their parent. */
export type AddCommands = (parent: Command, context: CliContext) => void;

/**
 * Adds the options of every command that calls the service: credentials and output format. A command that uses `-a` for another option
 * passes other flags for the attribute option in `attributes`.
 */
export function withCommonOptions(command: Command, attributes?: string): Command {
	return withFormatOptions(withCredentials(command), attributes);
}

/** Adds the options for the credentials of requests. */
export function withCredentials(command: Command): Command {
	return command
		.option("-t, --token <token>", "token for the requests (SVC_AUTH_TOKEN)")
		.option("--api-key <key>", "API key for the requests (SVC_API_KEY)");
}

/** Adds the options for the format of printed records. */
export function withFormatOptions(command: Command, attributes = "-a, --attr <names>"): Command {
	const form = new Option("-o, --output <format>", "output format; wide: a table with full values").choices(outputForms);
	return command
		.option("-j, --json", "print JSON")
		.option("-y, --yaml", "print YAML")
		.addOption(form.conflicts(["json", "yaml"]))
		.option(attributes, "attributes to print, separated by commas, such as id,action.ref; all for every attribute", parseCommaList);
}

/**
 * Returns the options of a command together with the global ones. A value of `-o` also sets the older option with the same meaning, such as
 * `--json`.
 */
export function optionsOf<O extends object>(command: Command): O & CommonOptions {
	const options = command.optsWithGlobals<O & CommonOptions>();
	const { output } = options as CommonOptions;
	return output === "json" || output === "yaml" || output === "wide" ? { ...options, [output]: true } : options;
}

/** Flags and text of the option for the maximum number of records of a list. Add `toInteger` and the default. */
export const limitOption = ["-n, --limit <count>", "maximum number of records; -1 for all"] as const;

/** Returns the words that call a command, such as `svc webhook delivery`. */
export function toPath(command: Command | null): string {
	return command === null ? "" : `${toPath(command.parent)} ${command.name()}`.trimStart();
}

/** Parses the value of an option that must be an integer. Throws if it is not one. */
export function toInteger(text: string): number {
	if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError("Must be an integer.");
	return Number(text);
}
