import type { EntityKind } from "../../core/contract/index.ts";
import type { Statement, Step, Write } from "./database-client.ts";
import type { Binding } from "./values.ts";

/**
 * Minimum number of steps for a script. Fewer steps run one by one, because prepared statements take less processor time. With more steps,
 * running them outside of the event loop is worth the difference.
 */
const minSteps = 12;
/** Maximum characters of the values in a script. Longer values are better passed as bindings than copied into a script. */
const maxValueCharacters = 262_144;
/** Digits, including the sign, up to which a double represents every whole number exactly. */
const maxExactDigits = 15;

/** Fails if the statement before it changed no row. */
const assertChanged = "select json('nothing was changed') where changes() = 0;";

/** SQL of a statement, split into the parts between its placeholders. */
interface SplitStatement {
	readonly pieces: readonly string[];
	/** True if the statement is an insert to which more rows can be appended after a comma. */
	readonly acceptsMoreRows: boolean;
}

const splitStatements = new WeakMap<Statement, SplitStatement>();

/**
 * Returns all statements of the writes as one script. Returns undefined if a write has a result, if separate statements are faster, or if
 * `toScriptText` does.
 */
export function toWriteScript(writes: readonly Write<unknown>[]): string | undefined {
	let characters = 0;
	const steps: Step[] = [];
	for (const { stepsWithoutResult, size } of writes) {
		if (stepsWithoutResult === undefined) return undefined;
		characters += size;
		for (const step of stepsWithoutResult) steps.push(step);
	}
	return steps.length < minSteps ? undefined : toScriptText(groupInserts(steps), characters);
}

/**
 * Reorders the steps so that inserts by the same statement are adjacent, and the statement is prepared once for all their rows. An insert
 * moves only past other inserts and past changes of entities of other kinds. Their effect does not depend on this order.
 */
function groupInserts(steps: readonly Step[]): readonly Step[] {
	const ordered: Step[] = [];
	const inserts = new Map<Statement, Step[]>();
	const flush = (kind: EntityKind | undefined) => {
		for (const [statement, sameInserts] of inserts) {
			if (kind !== undefined && sameInserts[0]?.target?.kind !== kind) continue;
			for (const step of sameInserts) ordered.push(step);
			inserts.delete(statement);
		}
	};
	for (const step of steps) {
		const { statement, target } = step;
		const sameInserts = inserts.get(statement);
		if (sameInserts !== undefined) sameInserts.push(step);
		else if (toSplitStatement(statement).acceptsMoreRows) inserts.set(statement, [step]);
		else {
			// A change by id can only depend on inserts of the same kind.
			flush(target?.id === undefined ? undefined : target.kind);
			ordered.push(step);
		}
	}
	flush(undefined);
	return ordered;
}

/**
 * Returns the statements with their values as one script, which SQLite runs in one call. Returns undefined if a statement returns rows, if
 * a value has no exact literal, or if the values are too long.
 *
 * @param characters approximate length of all values
 */
export function toScriptText(steps: readonly Step[], characters: number): string | undefined {
	if (characters > maxValueCharacters) return undefined;
	let text = "";
	let previous: Statement | undefined;
	for (const { statement, bindings } of steps) {
		if (statement.resultKind === "row" || statement.resultKind === "rows") return undefined;
		const { pieces, acceptsMoreRows } = toSplitStatement(statement);
		if (pieces.length !== bindings.length + 1) return undefined;
		// Preparing a statement takes as long as inserting a row, so rows of equal inserts share one statement.
		const isAdditionalRow = acceptsMoreRows && statement === previous;
		if (!isAdditionalRow && previous !== undefined) text += toEnd(previous);
		text += isAdditionalRow ? ", (" : pieces[0];
		for (let index = 0; index < bindings.length; index++) {
			const literal = toLiteral(bindings[index] ?? null);
			if (literal === undefined) return undefined;
			text += literal + pieces[index + 1];
		}
		previous = statement;
	}
	return previous === undefined ? text : text + toEnd(previous);
}

function toEnd({ resultKind }: Statement): string {
	return resultKind === "change" ? `;${assertChanged}` : ";";
}

function toSplitStatement(statement: Statement): SplitStatement {
	const cached = splitStatements.get(statement);
	if (cached !== undefined) return cached;
	const { sql, resultKind } = statement;
	const pieces = sql.split("?");
	const acceptsMoreRows = resultKind === "changes" && pieces[0]?.startsWith("insert into ") === true && / values \([?, ]+\)$/.test(sql);
	const split = { pieces, acceptsMoreRows };
	splitStatements.set(statement, split);
	return split;
}

/** Returns the SQL literal of a value, or undefined if there is no exact one. Strings contain no NUL here, because it is escaped before. */
function toLiteral(value: Binding): string | undefined {
	switch (typeof value) {
		case "string":
			return value.includes("'") ? `'${value.replaceAll("'", "''")}'` : `'${value}'`;
		case "boolean":
			return value ? "1" : "0";
		case "number":
			return toNumber(value);
		default:
			return "null";
	}
}

/**
 * Writes a fraction as a division of whole numbers, which SQLite reads and divides exactly. It reads some decimal fractions as an adjacent
 * number instead.
 */
function toNumber(value: number): string | undefined {
	const text = String(value);
	if (Number.isSafeInteger(value)) return text;
	const [, whole, fraction] = /^(-?\d+)\.(\d+)$/.exec(text) ?? [];
	if (whole === undefined || fraction === undefined || whole.length + fraction.length > maxExactDigits) return undefined;
	return `cast(${whole}${fraction} as real) / 1${"0".repeat(fraction.length)}`;
}
