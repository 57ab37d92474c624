import { SvcError } from "../../contract/index.ts";
import { type CommandValues, createAliasFormat } from "../../language/aliases/alias-format.ts";
import { readCommand } from "../../language/aliases/command-text.ts";
import { withWorkBudget } from "../../language/work-budget.ts";
import { toRepresentations } from "./alias-formats.ts";
import type { AliasInput } from "./aliases-api.ts";

/** What a command asks for by an alias. */
export interface ReadCommand {
	readonly action: string;
	/** The representation that it fits. */
	readonly representation: string;
	/** Parameters of each execution that it asks for: what the command says, as texts. */
	readonly parameters: readonly CommandValues[];
}

/** What a command asks for by an alias alone, without a service. `SVC_INVALID` where it does not fit. */
export function readAliasCommand(
	{ name, action_ref, formats }: Pick<AliasInput, "name" | "action_ref" | "formats">,
	command: string,
): ReadCommand {
	const text = readCommand(command);
	const representations = toRepresentations(formats);
	// Those that match several times are tried last.
	const inOrder = [...representations.filter(({ isMultiple }) => !isMultiple), ...representations.filter(({ isMultiple }) => isMultiple)];
	for (const { representation, isMultiple } of inOrder) {
		const parameters = withWorkBudget(() => createAliasFormat(representation, isMultiple).read(text));
		if (parameters !== undefined) return { action: action_ref, representation, parameters };
	}
	throw new SvcError("SVC_INVALID", `command: does not fit action alias "${name}"`);
}
