import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { type FormatOptions, printList } from "../../cli/print-records.ts";
import type { DefinitionFinding } from "../../contract/index.ts";
import { mayRun, toFindingText } from "./format-findings.ts";

/** Prints the findings. Throws `CliExit` with 1 if the definition cannot run. */
export async function printFindings(
	subject: string,
	findings: readonly DefinitionFinding[],
	options: FormatOptions,
	context: CliContext,
): Promise<void> {
	if (options.json || options.yaml) await printList({ items: findings, total: findings.length, limit: undefined }, [], options, context);
	else await write(context.stdout, toFindingText(subject, findings));
	if (!mayRun(findings)) throw new CliExit(1);
	if (!options.json && !options.yaml && findings.length === 0) await write(context.stderr, `${subject}: nothing is wrong\n`);
}
