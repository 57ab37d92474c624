import { Argument, InvalidArgumentError, Option } from "commander";
import { withExamples } from "../../core/cli/commands/examples.ts";
import type { AddCommands } from "../../core/cli/commands/options.ts";
import { CliExit, type ConformKind, type ConformReport, type ConformStatement, conformKinds, write } from "../../core/cli/context.ts";
import { toJunit } from "../../core/cli/junit.ts";
import { writeReport } from "../../core/cli/write-report.ts";
import { isSvcError } from "../../core/contract/index.ts";

interface Given {
	readonly reporter: "text" | "json" | "junit";
	readonly outputFile?: string;
	readonly only?: string;
	readonly timeout: number;
	readonly times: number;
}

/** Adds the command that runs the conformance kits. */
export const addConformCommand: AddCommands = (parent, { conform, stdout }) => {
	if (conform === undefined) return;
	parent
		.command("conform")
		.description("Test a plugin against the contract of its kind.")
		.addArgument(new Argument("<kind>", "plugin kind").choices(conformKinds))
		.argument("<module>", "file that exports `conformance` (the options of the kit) or a plugin")
		.addOption(new Option("--reporter <format>", "format of the report").choices(["text", "json", "junit"]).default("text"))
		.option("--output-file <file>", "write the report to this file")
		.option("--only <text>", "run only the statements whose names contain this text")
		.option("--timeout <seconds>", "maximum seconds for one statement", toPositive, 30)
		.option("--times <number>", "number of rounds; stops after the first round with a failure", toWhole, 1)
		.action(async (kind: ConformKind, module: string, { reporter, outputFile, only, timeout, times }: Given) => {
			const report = await orUsage(conform({ kind, module, only, timeout: timeout * 1_000, times }));
			const text = toConformReport(reporter, report);
			if (outputFile === undefined) await write(stdout, text);
			else await writeReport(outputFile, text);
			if (report.statements.some(({ error }) => error !== undefined)) throw new CliExit(1);
		});
	withExamples(parent, {
		conform: [
			"svc conform runner ./src/runner.ts",
			"svc conform storage ./storage.conformance.ts --times 10 --reporter junit --output-file report.xml",
		],
	});
};

/** Turns the error of a module that cannot be tested into a usage error with exit code 2. */
async function orUsage(conforming: Promise<ConformReport>): Promise<ConformReport> {
	try {
		return await conforming;
	} catch (error) {
		if (isSvcError(error, "SVC_CONFIG")) throw new CliExit(2, error.message);
		throw error;
	}
}

function toPositive(text: string): number {
	const number = Number(text);
	if (!(number > 0 && number <= 86_400)) throw new InvalidArgumentError("Must be a number above 0, at most 86400.");
	return number;
}

function toWhole(text: string): number {
	const number = Number(text);
	if (!(Number.isInteger(number) && number >= 1)) throw new InvalidArgumentError("Must be a whole number of at least 1.");
	return number;
}

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
