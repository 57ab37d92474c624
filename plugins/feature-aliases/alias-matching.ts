import { isSvcError, SvcError } from "../../core/contract/index.ts";
import { WorkBudget, waitForLoopBudget } from "../../core/feature.ts";
import { compileRepresentation, type Representation, toRepresentations } from "./alias-formats.ts";
import type { AliasMatch } from "./aliases-exports.ts";
import type { ActionAliasEntity } from "./entities.ts";
import type { AliasFormat, CommandValues } from "./format/alias-format.ts";
import { type Command, readCommand } from "./format/command-text.ts";

/** Maximum milliseconds for matching one command against all formats of all aliases. */
const searching = 1_000;
/** Maximum number of executions that one command may request. */
const maxAtOnce = 50;
/** Maximum number of aliases that an error message names. */
const maxNamed = 10;

type MayName = (alias: ActionAliasEntity) => boolean;

/** Matches one command against aliases. Each alias has a work budget of its own. */
class Comparison {
	readonly #command: Command;
	readonly #given: string;
	/** Aliases whose matching exceeded the budget. */
	readonly slow: ActionAliasEntity[] = [];
	#searched = 0;

	constructor(command: string) {
		this.#given = command;
		this.#command = readCommand(command);
	}

	/** Returns the first match among the representations of an alias. Throws `SVC_INVALID` if it requests too many executions. */
	async firstOf(alias: ActionAliasEntity, representations: readonly Representation[]): Promise<AliasMatch | undefined> {
		const match = await this.#search(alias, representations);
		if (match === undefined || match.values.length <= maxAtOnce) return match;
		throw new SvcError("SVC_INVALID", `command: would start ${match.values.length} executions; at most ${maxAtOnce} are allowed`);
	}

	async #search(alias: ActionAliasEntity, representations: readonly Representation[]): Promise<AliasMatch | undefined> {
		if (this.#searched > searching) throw new SvcError("SVC_INVALID", "command: searching for matching aliases takes too long");
		await waitForLoopBudget();
		const work = new WorkBudget();
		try {
			return work.run(() => this.#firstOf(alias, representations));
		} catch (error) {
			if (!isSvcError(error, "SVC_INVALID")) throw error;
			this.slow.push(alias);
			return undefined;
		} finally {
			this.#searched += work.usedSearchMs;
		}
	}

	#firstOf(alias: ActionAliasEntity, representations: readonly Representation[]): AliasMatch | undefined {
		for (const representation of representations) {
			const values = readBy(representation, this.#command);
			if (values !== undefined) return { alias, display: representation.display, representation: representation.representation, values };
		}
		return undefined;
	}

	get command(): string {
		return this.#given.trim();
	}
}

/** Returns the only alias that a command matches. Formats with `match_multiple` are tried only if no other format matches. */
export async function matchAliases(aliases: readonly ActionAliasEntity[], command: string, mayName: MayName): Promise<AliasMatch> {
	const comparison = new Comparison(command);
	for (const isMultiple of [false, true]) {
		const found: AliasMatch[] = [];
		for (const alias of aliases) {
			const representations = toRepresentations(alias.formats).filter((representation) => representation.isMultiple === isMultiple);
			const match = representations.length === 0 ? undefined : await comparison.firstOf(alias, representations);
			if (match !== undefined) found.push(match);
		}
		const [only, ...others] = found;
		if (others.length > 0) throw ambiguous(found, mayName);
		if (only !== undefined) return only;
	}
	throw unmatched(comparison, mayName);
}

/** Matches a command against the format that the chat names. The display string of a format selects all its representations. */
export async function matchFormat(alias: ActionAliasEntity, format: string, command: string): Promise<AliasMatch> {
	const representations = toRepresentations(alias.formats);
	const named = representations.filter(({ display, representation }) => representation === format || display === format);
	if (named.length === 0) {
		const known = representations.slice(0, maxNamed).map(({ representation }) => `"${representation}"`);
		throw new SvcError(
			"SVC_INVALID",
			`format: alias "${alias.ref}" has no format "${shorten(format)}"; its formats are ${known.join(", ")}`,
		);
	}
	const comparison = new Comparison(command);
	const match = await comparison.firstOf(alias, named);
	if (match !== undefined) return match;
	if (comparison.slow.length > 0) throw new SvcError("SVC_INVALID", `command: matching format "${shorten(format)}" takes too long`);
	throw new SvcError("SVC_INVALID", `command: "${shorten(comparison.command)}" does not match format "${shorten(format)}"`);
}

/**
 * Returns the values that a command contains, or undefined if it does not match. A format that cannot be compiled matches no command; only
 * another version of the service could have stored it. Throws `SVC_INVALID` if the search takes too long.
 */
function readBy(representation: Representation, command: Command): readonly CommandValues[] | undefined {
	let format: AliasFormat;
	try {
		format = compileRepresentation(representation);
	} catch (error) {
		if (isSvcError(error, "SVC_INVALID")) return undefined;
		throw error;
	}
	return format.read(command);
}

function ambiguous(found: readonly AliasMatch[], mayName: MayName): SvcError {
	const named = toNames(
		found.map(({ alias }) => alias),
		mayName,
	);
	const hint = "hint: write more of the command, or change the formats so that only one of them matches";
	return new SvcError("SVC_INVALID", `command: matches ${found.length} action aliases${named}; ${hint}`);
}

function unmatched({ command, slow }: Comparison, mayName: MayName): SvcError {
	const undecided = slow.length === 0 ? "" : `; matching ${slow.length} of them took too long${toNames(slow, mayName)}`;
	return new SvcError("SVC_INVALID", `command: "${shorten(command)}" matches no action alias${undecided}`);
}

function toNames(aliases: readonly ActionAliasEntity[], mayName: MayName): string {
	const names = aliases.filter(mayName).map(({ ref }) => ref);
	return names.length === 0 ? "" : ` (${names.slice(0, maxNamed).join(", ")}${names.length > maxNamed ? ", …" : ""})`;
}

function shorten(text: string): string {
	return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
