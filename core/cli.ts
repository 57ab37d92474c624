// Exports for the commands of custom features (`svc-automation/cli`). Must not import the engine, because every command would wait for it.

export { parseCommaList } from "./cli/commands/comma-list.ts";
export { type CommandFeature, withFeature } from "./cli/commands/command-feature.ts";
export { withExamples } from "./cli/commands/examples.ts";
export type { CommonOptions } from "./cli/commands/options.ts";
export {
	type AddCommands,
	limitOption,
	optionsOf,
	toInteger,
	withCommonOptions,
	withCredentials,
	withFormatOptions,
} from "./cli/commands/options.ts";
export { type CommandRecords, RecordCommands } from "./cli/commands/record-commands.ts";
export { withNames } from "./cli/completion/name-source.ts";
export type {
	CliContext,
	PackCheck,
	PackOperationOptions,
	PackOperations,
	PackTestOptions,
	PackTests,
	WorkerOptions,
} from "./cli/context.ts";
export { CliExit, write } from "./cli/context.ts";
export { orNotFound } from "./cli/failure.ts";
export { toJunit } from "./cli/junit.ts";
export type { FormatOptions } from "./cli/print-records.ts";
export { printList, printRecord } from "./cli/print-records.ts";
export { readAllPages } from "./cli/read-all-pages.ts";
export { readObject, toFileProblem } from "./cli/read-file.ts";
export { openSession } from "./cli/session.ts";
export { resolveSettings } from "./cli/settings.ts";
export { writeReport } from "./cli/write-report.ts";
export type { CallOptions } from "./client/api-client.ts";
export { type ApiClient, createApi } from "./client/api-client.ts";
export type { ListPage, ListQuery } from "./client/page.ts";
export { followStarted } from "./features/executions/run-commands-exports.ts";
