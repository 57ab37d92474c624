import type { ConformReport, ConformStatement } from "../context.ts";
import { toJunit } from "../junit.ts";

/** Returns a report in one of the formats of `svc conform`. */
export function toConformReport(format: "text" | "json" | "junit", report: ConformReport): string {
	if (format === "json") return toJson(report);
	return format === "junit" ? toXml(report) : toText(report);
}

function toXml({ kind, name, statements, leftOut }: ConformReport): string {
	const cases = statements.map(({ name: statement, round, milliseconds, error }) => ({
		name: round === 1 ? statement : `${statement} (round ${round})`,
		classname: kind,
		milliseconds,
		error,
	}));
	return toJunit([{ name: `${kind} ${name}`, cases, remarks: leftOut.map((text) => `left out: ${text}`) }]);
}

function toText({ kind, name, module, statements, leftOut }: ConformReport): string {
	const refused = statements.filter(({ error }) => error !== undefined);
	const rounds = statements.at(-1)?.round ?? 0;
	const lines = [
		`${kind} ${name} (${module})`,
		...statements.flatMap((statement) => toLines(statement, rounds)),
		...leftOut.map((text) => `left out: ${text}`),
		`${statements.length - refused.length} hold, ${refused.length} refused${rounds > 1 ? `, in ${rounds} rounds` : ""}`,
	];
	return `${lines.join("\n")}\n`;
}

function toLines({ name, round, milliseconds, error }: ConformStatement, rounds: number): string[] {
	const place = rounds > 1 ? ` (round ${round})` : "";
	const line = `${error === undefined ? "  ok   " : "  FAIL "} ${name}${place}, ${Math.round(milliseconds)} ms`;
	return error === undefined ? [line] : [line, error.replace(/^/gm, "         ")];
}

function toJson({ kind, name, module, statements, leftOut }: ConformReport): string {
	const refused = statements.filter(({ error }) => error !== undefined).length;
	const listed = statements.map(({ name: statement, round, milliseconds, error }) => ({
		statement,
		round,
		holds: error === undefined,
		milliseconds: Math.round(milliseconds),
		...(error === undefined ? {} : { error }),
	}));
	const report = { kind, name, module, hold: statements.length - refused, refused, left_out: leftOut, statements: listed };
	return `${JSON.stringify(report, undefined, 2)}\n`;
}
