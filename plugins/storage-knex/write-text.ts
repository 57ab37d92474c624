import type { EntityKind } from "../../core/contract/index.ts";
import type { Statement, Step, Write } from "./database-client.ts";
import type { Binding } from "./values.ts";

/** Fewer are run one by one, as statements that are ready take less of the processor in all; what the event loop has to do counts where there are more. */
const leastSteps = 12;
/** Characters of values; longer ones are better handed over as they are than written into a text. */
const mostLength = 262_144;
/** Digits, with the sign, of whole numbers that are all exact. */
const certainDigits = 15;

/** Fails where the statement before it has changed nothing. */
const assertChanged = "select json('nothing was changed') where changes() = 0;";

/** The text of a statement, cut where its values stand. */
interface CutText {
	readonly pieces: readonly string[];
	/** Whether rows of the same can be added to it behind a comma. */
	readonly takesRows: boolean;
}

const cutTexts = new WeakMap<Statement, CutText>();

/** All statements of writes as one text; undefined where one of the writes answers something, and where they are better run one by one. */
export function toTextOfAll(writes: readonly Write<unknown>[]): string | undefined {
	let length = 0;
	const steps: Step[] = [];
	for (const { silent, size } of writes) {
		if (silent === undefined) return undefined;
		length += size;
		for (const step of silent) steps.push(step);
	}
	return steps.length < leastSteps ? undefined : toText(likeByLike(steps), length);
}

/**
 * The same steps, with inserts of one statement side by side where nothing but inserts, and changes of entities of other kinds, lies between them:
 * what one of these does is the same wherever it stands among them, and a statement is prepared once for all.
 */
function likeByLike(steps: readonly Step[]): readonly Step[] {
	const ordered: Step[] = [];
	const inserts = new Map<Statement, Step[]>();
	const flush = (kind: EntityKind | undefined) => {
		for (const [statement, alike] of inserts) {
			if (kind !== undefined && alike[0]?.writing?.kind !== kind) continue;
			for (const step of alike) ordered.push(step);
			inserts.delete(statement);
		}
	};
	for (const step of steps) {
		const { statement, writing } = step;
		const alike = inserts.get(statement);
		if (alike !== undefined) alike.push(step);
		else if (toCutText(statement).takesRows) inserts.set(statement, [step]);
		else {
			// What a change by id finds is of its own kind.
			flush(writing?.id === undefined ? undefined : writing.kind);
			ordered.push(step);
		}
	}
	flush(undefined);
	return ordered;
}

/**
 * Statements with their values, as one text that SQLite runs without being asked again for each; `length` is about that of the values.
 * Undefined where that cannot be: an answer is wanted, a value has no exact text, or all is too long.
 */
export function toText(steps: readonly Step[], length: number): string | undefined {
	if (length > mostLength) return undefined;
	let text = "";
	let before: Statement | undefined;
	for (const { statement, bindings } of steps) {
		if (statement.answer === "row" || statement.answer === "rows") return undefined;
		const { pieces, takesRows } = toCutText(statement);
		if (pieces.length !== bindings.length + 1) return undefined;
		// To prepare a statement takes as long as to insert a row.
		const isOneMore = takesRows && statement === before;
		if (!isOneMore && before !== undefined) text += toEnd(before);
		text += isOneMore ? ", (" : pieces[0];
		for (let index = 0; index < bindings.length; index++) {
			const literal = toLiteral(bindings[index] ?? null);
			if (literal === undefined) return undefined;
			text += literal + pieces[index + 1];
		}
		before = statement;
	}
	return before === undefined ? text : text + toEnd(before);
}

function toEnd({ answer }: Statement): string {
	return answer === "change" ? `;${assertChanged}` : ";";
}

function toCutText(statement: Statement): CutText {
	const known = cutTexts.get(statement);
	if (known !== undefined) return known;
	const { sql, answer } = statement;
	const pieces = sql.split("?");
	const takesRows = answer === "changes" && pieces[0]?.startsWith("insert into ") === true && / values \([?, ]+\)$/.test(sql);
	const cut = { pieces, takesRows };
	cutTexts.set(statement, cut);
	return cut;
}

/** Texts have no NUL when they come here. */
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

/** SQLite reads some fractions as the number beside them. Whole numbers it reads and divides exactly. */
function toNumber(value: number): string | undefined {
	const text = String(value);
	if (Number.isSafeInteger(value)) return text;
	const [, whole, fraction] = /^(-?\d+)\.(\d+)$/.exec(text) ?? [];
	if (whole === undefined || fraction === undefined || whole.length + fraction.length > certainDigits) return undefined;
	return `cast(${whole}${fraction} as real) / 1${"0".repeat(fraction.length)}`;
}
