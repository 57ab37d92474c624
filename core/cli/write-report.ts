import { writeFile } from "node:fs/promises";
import { toErrorMessage } from "../contract/index.ts";
import { CliExit } from "./context.ts";

/** Writes a report to the file of `--output-file`. Exits with 2 if that fails. */
export async function writeReport(file: string, text: string): Promise<void> {
	try {
		await writeFile(file, text);
	} catch (error) {
		throw new CliExit(2, `--output-file: "${file}" cannot be written: ${toErrorMessage(error)}`);
	}
}
