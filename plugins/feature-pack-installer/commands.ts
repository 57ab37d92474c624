import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import { stringify } from "yaml";
import {
	type AddCommands,
	type CliContext,
	CliExit,
	type CommonOptions,
	followStarted,
	openSession,
	optionsOf,
	printList,
	printRecord,
	readObject,
	withCommonOptions,
	withExamples,
	withFeature,
	withNames,
	write,
} from "../../core/cli.ts";
import { toErrorMessage } from "../../core/contract/index.ts";
import { createPackInstallClient, type PackInstallClient, type PackJobRecord, type PackLockEntry } from "./client.ts";
import { createPackIndexClient } from "./index-client.ts";

export interface JobOptions extends CommonOptions {
	readonly async?: boolean;
}

interface InstallOptions extends JobOptions {
	readonly force?: boolean;
	readonly skipDependencies?: boolean;
	readonly locked?: string | true;
	readonly all?: boolean;
}

const lockFile = "svc-packs.lock";
const lockHead = "# Written by `svc pack lock`. `svc pack install --locked` installs exactly this.\n";

/** Adds the subcommands of `pack` that search for packs and that change the installed packs. */
export const addPackInstallCommands: AddCommands = (parent, context) => {
	const pack = parent.commands.find((command) => command.name() === "pack") ?? parent.command("pack");
	const others = [...pack.commands];
	const begin: Begin = async (command, prepare) => {
		const options = optionsOf<InstallOptions>(command);
		const start = prepare(options);
		const api = await openSession(options, context);
		const { execution_id } = await start(createPackInstallClient(api));
		await followStarted(api, execution_id, options, context);
	};
	addIndexCommands(pack, context);
	addInstall(pack, begin);
	addRemove(pack, begin);
	addUpgrade(pack, begin);
	addRollback(pack, begin);
	addOutdated(pack, context);
	addFollowed(pack, context);
	addLock(pack, context);
	withExamples(pack, {
		search: ["svc pack search disk"],
		show: ["svc pack show disk"],
		install: ["svc pack install disk=1.4.0", "svc pack install --locked"],
		remove: ["svc pack remove disk"],
		upgrade: ["svc pack upgrade disk", "svc pack upgrade --all"],
		rollback: ["svc pack rollback disk", "svc pack rollback disk 1.3.0"],
		outdated: ["svc pack outdated"],
		followed: ["svc pack followed"],
		lock: ["svc pack lock svc-packs.lock"],
	});
	// The other commands of the group call routes that every service has.
	for (const command of pack.commands.filter((each) => !others.includes(each)))
		withFeature(command, { name: "packInstaller", add: "packInstaller() of svc-automation/plugins/feature-pack-installer" });
};

/**
 * Starts a job and follows it. `prepare` checks arguments and reads files, before the sign-in, and returns the call that starts the job.
 */
type Begin = (
	command: Command,
	prepare: (options: InstallOptions) => (client: PackInstallClient) => Promise<PackJobRecord>,
) => Promise<void>;

function withJobOptions(command: Command): Command {
	return withCommonOptions(command, "--attr <names>").option("-a, --async", "print the id of the execution without waiting for the end");
}

function withInstallOptions(command: Command): Command {
	return withJobOptions(command)
		.option("--force", "install despite conflicting versions and dependencies")
		.option("--skip-dependencies", "skip the dependencies of the packs");
}

function addInstall(pack: Command, begin: Begin): void {
	withInstallOptions(
		pack
			.command("install [sources...]")
			.description(
				"Install packs. A source is a name in the index, the address of a repository or archive, or a directory on the service's machine.",
			),
	)
		.option("--locked [file]", `install the versions in a lock file; default: ${lockFile}`)
		.addHelpText("after", "\nAppend =version, =branch, =tag or =commit to a source to select it: disk=1.4.0")
		.action((sources: string[], _options, command) =>
			begin(command, ({ force, skipDependencies, locked }) => {
				if (locked !== undefined) {
					if (sources.length > 0) throw new CliExit(2, "sources and --locked: set only one of them");
					const entries = readLock(locked === true ? lockFile : locked);
					return (client) => client.install({ locked: entries, ...(force && { force }) });
				}
				if (sources.length === 0) throw new CliExit(2, "sources: missing; name at least one source, or set --locked");
				return (client) => client.install({ packs: sources, ...toFlags({ force, skipDependencies }) });
			}),
		);
}

function addRemove(pack: Command, begin: Begin): void {
	const remove = pack.command("remove <packs...>").alias("uninstall").description("Remove packs with all their content.");
	withNames(remove, { path: "/packs", name: "ref" });
	withJobOptions(remove)
		.option("--force", "remove packs even if other packs depend on them")
		.action((packs: string[], _options, command) =>
			begin(
				command,
				({ force }) =>
					(client) =>
						client.uninstall(packs, force ? { force } : {}),
			),
		);
}

function addUpgrade(pack: Command, begin: Begin): void {
	const upgrade = pack.command("upgrade [packs...]").description("Upgrade packs from their sources.");
	withNames(upgrade, { path: "/packs", name: "ref" });
	withInstallOptions(upgrade)
		.option("--all", "upgrade all installed packs")
		.action((packs: string[], _options, command) =>
			begin(command, ({ all, force, skipDependencies }) => {
				if ((packs.length === 0) !== (all === true)) throw new CliExit(2, "packs and --all: set exactly one of them");
				return (client) => client.upgrade(packs, toFlags({ force, skipDependencies }));
			}),
		);
}

function addRollback(pack: Command, begin: Begin): void {
	const rollback = pack.command("rollback <pack> [version]").description("Restore the previous or an earlier version of a pack.");
	withNames(rollback, { path: "/packs", name: "ref" });
	withJobOptions(rollback).action((ref: string, version: string | undefined, _options, command) =>
		begin(command, () => (client) => client.rollback(ref, version)),
	);
}

function addOutdated(pack: Command, context: CliContext): void {
	withCommonOptions(pack.command("outdated").description("List installed packs with a newer version at their source."))
		.option("--all", "include packs that are up to date")
		.action(async (_options, command) => {
			const options = optionsOf<{ all?: boolean }>(command);
			const records = await createPackInstallClient(await openSession(options, context)).outdated();
			for (const { ref, problem } of records) if (problem !== null) await write(context.stderr, `${ref}: ${problem}\n`);
			const items = options.all ? records : records.filter(({ outdated }) => outdated);
			await printList(
				{ items, total: items.length, limit: undefined },
				["ref", "version", "latest.version", "latest.commit", "address"],
				options,
				context,
			);
		});
}

function addFollowed(pack: Command, context: CliContext): void {
	withCommonOptions(pack.command("followed").description("List the packs in git that the service follows.")).action(
		async (_options, command) => {
			const options = optionsOf(command);
			const items = await createPackInstallClient(await openSession(options, context)).followed();
			await printList({ items, total: items.length, limit: undefined }, ["pack", "source", "commit", "state", "reason"], options, context);
		},
	);
}

function addLock(pack: Command, context: CliContext): void {
	withCommonOptions(pack.command("lock [file]").description("Print or write a lock file of the installed packs.")).action(
		async (file: string | undefined, _options, command) => {
			const options = optionsOf(command);
			const packs = await createPackInstallClient(await openSession(options, context)).lock();
			const lock = { lock_version: 1, packs };
			const text = options.json ? `${JSON.stringify(lock, null, 2)}\n` : `${lockHead}${stringify(lock, { lineWidth: 0 })}`;
			if (file === undefined) return write(context.stdout, text);
			try {
				writeFileSync(file, text);
			} catch (error) {
				throw new CliExit(2, `file "${file}" cannot be written: ${toErrorMessage(error)}`);
			}
			await write(context.stderr, `${packs.length} ${packs.length === 1 ? "pack" : "packs"} written to ${file}\n`);
		},
	);
}

function readLock(file: string): readonly PackLockEntry[] {
	const { lock_version: version, packs } = readObject(file);
	if (version !== 1) throw new CliExit(2, `file "${file}": lock_version must be 1; write the file again with \`svc pack lock\``);
	if (!Array.isArray(packs) || packs.length === 0) throw new CliExit(2, `file "${file}": "packs" must be a list with at least one pack`);
	return packs as unknown as readonly PackLockEntry[];
}

function toFlags({ force, skipDependencies }: { readonly force: boolean | undefined; readonly skipDependencies: boolean | undefined }) {
	return { ...(force && { force }), ...(skipDependencies && { skip_dependencies: true }) };
}

const columns = ["name", "description", "version", "author"];

/** Adds `svc pack search` and `svc pack show`, for packs that can be installed. */
function addIndexCommands(pack: Command, context: CliContext): void {
	withCommonOptions(pack.command("search <query>").description("Search the index for packs.")).action(
		async (query: string, _options, command) => {
			const options = optionsOf(command);
			const items = await createPackIndexClient(await openSession(options, context)).search(query);
			await printList({ items, total: items.length, limit: undefined }, columns, options, context);
		},
	);

	withCommonOptions(pack.command("show <name>").description("Show a pack in the index.")).action(
		async (name: string, _options, command) => {
			const options = optionsOf(command);
			const entry = await createPackIndexClient(await openSession(options, context)).show(name);
			if (entry === undefined)
				throw new CliExit(2, `pack "${name}" is not in the index; search for packs with \`svc pack search <query>\``);
			await printRecord(entry, [...columns, "keywords", "repo_url"], options, context);
		},
	);
}
