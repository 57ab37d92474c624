import { type CliContext, CliExit, type MoveReport, write } from "../context.ts";
import { toNewStorageText } from "../plan-text.ts";
import { printList } from "../print-records.ts";
import { Progress } from "../progress.ts";
import { configOption } from "./config-option.ts";
import { withExamples } from "./examples.ts";
import type { AddCommands } from "./options.ts";

const examples = {
	migrate: ["svc db migrate --plan", "svc db migrate"],
	backup: ["svc db backup ./svc-backup.db"],
	restore: ["svc db restore ./svc-backup.db"],
	move: ["svc db move --to postgres://svc@db.example.org/svc"],
};

/** Adds the commands that use the database of a configuration without the service. */
export const addDatabaseCommands: AddCommands = (parent, context) => {
	const { database } = context;
	if (database === undefined) return;
	const group = parent.command("db").description("Migrate, back up, restore and move the database of the service.");

	group
		.command("migrate")
		.description("Migrate the schema to this version, as the service does when it starts.")
		.option("--plan", "print the changes without applying them")
		.option(...configOption)
		.action(async ({ config, plan = false }: { config: string; plan?: boolean }) => {
			const { changes, newPlace, isApplied } = await database.migrate({ config, plan });
			if (changes.length === 0) return write(context.stdout, "The schema is up to date.\n");
			if (newPlace !== undefined) {
				return write(context.stdout, `${newPlace}: ${isApplied ? "the schema has been created" : toNewStorageText(newPlace)}\n`);
			}
			await write(
				context.stdout,
				`${isApplied ? "Changes made:" : "Changes to be made:"}\n${changes.map((name) => `  ${name}\n`).join("")}`,
			);
		});

	group
		.command("backup")
		.description("Back up the SQLite database to a new file. The service may be running.")
		.argument("<file>", "file of the backup")
		.option(...configOption)
		.action(async (file: string, { config }: { config: string }) => {
			const { beside, bytes, ...written } = await database.backup({ config, file });
			await write(context.stdout, `Backup written: ${written.file} (${bytes} bytes). It is complete, and contains secrets.\n`);
			await write(context.stdout, toBesideText(beside));
		});

	group
		.command("restore")
		.description("Replace the SQLite database with a backup and keep the old file. The service must not be running.")
		.argument("<file>", "file of the backup")
		.option(...configOption)
		.action(async (file: string, { config }: { config: string }) => {
			const { old } = await database.restore({ config, file });
			const kept = old === undefined ? "There was none before.\n" : `The old database was kept as ${old}\n`;
			await write(context.stdout, `The database was replaced by the backup. ${kept}`);
		});

	group
		.command("move")
		.description("Copy all records to an empty database and compare the two. Can be interrupted and run again.")
		.requiredOption("--to <address>", "address of the target database, such as postgres://svc@db.example.org/svc")
		.option(...configOption)
		.action(async ({ config, to }: { config: string; to: string }) => {
			const progress = new Progress("copying", context);
			const onCopied = (kind: string, count: number) => {
				if (count > 0) void progress.aside(() => write(context.stderr, `${kind}: ${count} copied\n`));
			};
			const report = await database.move({ config, to, onCopied }).finally(() => progress.stop());
			await printMove(report, context);
		});
	withExamples(group, examples);
};

async function printMove({ kinds, beside }: MoveReport, context: CliContext): Promise<void> {
	const { stdout } = context;
	const shown = kinds.filter(({ source, target }) => source.count + target.count > 0);
	const items = shown.map(({ kind, source, target, isEqual }) => ({
		records: kind,
		here: source.count,
		there: target.count,
		"hash there": target.hash.slice(0, 16),
		compared: isEqual ? "equal" : "DIFFERENT",
	}));
	await printList({ items, total: undefined, limit: undefined }, ["records", "here", "there", "hash there", "compared"], {}, context);
	const different = kinds.filter(({ isEqual }) => !isEqual).map(({ kind }) => kind);
	if (different.length > 0) {
		throw new CliExit(
			1,
			`${different.join(", ")}: different in the two databases. The old database is unchanged; move to another, empty one`,
		);
	}
	await write(stdout, "All records were copied. Change the configuration to the new database before you start the service again.\n");
	await write(stdout, toBesideText(beside));
}

function toBesideText(beside: readonly string[]): string {
	return beside.length === 0
		? ""
		: `Not stored in the database, but needed by the service:\n${beside.map((line) => `  ${line}\n`).join("")}`;
}
