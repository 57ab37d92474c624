import { SvcError } from "../../core/contract/index.ts";
import { withWorkBudget } from "../../core/feature.ts";
import { toRepresentations } from "./alias-formats.ts";
import type { AliasInput } from "./aliases-exports.ts";
import { type CommandValues, createAliasFormat } from "./format/alias-format.ts";
import { readCommand } from "./format/command-text.ts";

/** Result of matching a command against an alias. */
export interface ReadCommand {
	readonly action: string;
	/** Representation that the command matches. */
	readonly representation: string;
	/** Parameters of each requested execution, as strings from the command. */
	readonly parameters: readonly CommandValues[];
}

/** Matches a command against a single alias, without a service. Throws `SVC_INVALID` if the command does not match. */
export function readAliasCommand(
	{ name, action_ref, formats }: Pick<AliasInput, "name" | "action_ref" | "formats">,
	command: string,
): ReadCommand {
	const text = readCommand(command);
	const representations = toRepresentations(formats);
	// Representations with `match_multiple` are tried last.
	const inOrder = [...representations.filter(({ isMultiple }) => !isMultiple), ...representations.filter(({ isMultiple }) => isMultiple)];
	for (const { representation, isMultiple } of inOrder) {
		const parameters = withWorkBudget(() => createAliasFormat(representation, isMultiple).read(text));
		if (parameters !== undefined) return { action: action_ref, representation, parameters };
	}
	throw new SvcError("SVC_INVALID", `command: does not fit action alias "${name}"`);
}
