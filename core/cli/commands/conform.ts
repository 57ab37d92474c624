import { Argument, InvalidArgumentError, Option } from "commander";
import { isSvcError } from "../../contract/index.ts";
import { toConformReport } from "../conform/reports.ts";
import { CliExit, type ConformKind, type ConformReport, conformKinds, write } from "../context.ts";
import { writeReport } from "../write-report.ts";
import { withExamples } from "./examples.ts";
import type { AddCommands } from "./options.ts";

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
