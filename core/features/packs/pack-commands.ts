import type { Writable } from "node:stream";
import { parseCommaList } from "../../cli/commands/comma-list.ts";
import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, limitOption, toInteger } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { writeOutput } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { createPackClient, createPackRegisterClient, type PackRecord } from "./pack-client.ts";

const columns = ["ref", "name", "description", "version", "author", "commit", "followed"];
const attributes = [
	"ref",
	"name",
	"description",
	"version",
	"author",
	"email",
	"keywords",
	"path",
	"content",
	"source",
	"installation",
	"followed",
];

interface RegisterOptions {
	readonly types?: string;
	readonly skipBroken?: boolean;
}

export const addPackCommands: AddCommands = (parent, context) => {
	const group = parent.command("pack").description("Manage, develop and install packs.");
	const packs = new RecordCommands(group, context, {
		noun: "pack",
		createClient: (api) => ({ ...createPackClient(api), ...createPackRegisterClient(api) }),
	});

	packs
		.addList<{ limit: number }>(
			"List packs.",
			columns,
			async (client, { json, yaml, attr, limit }) => {
				const page = await client.list({ limit });
				const isTable = !json && !yaml && attr === undefined;
				return isTable ? { ...page, items: page.items.map(toRow) } : page;
			},
			"-n",
		)
		.option(...limitOption, toInteger, 100);

	const showPacks = packs.addShow("get <refs...>", "Show packs.", attributes, (client, ref) => client.get(ref));
	const showFiles = packs.addRun<object, [ref: string, path: string | undefined]>(
		"files <ref> [path]",
		"List the files of a pack, or print one of them.",
		async (open, options, ref, path) => {
			const client = await open();
			if (path !== undefined) {
				const file = await orNotFound(client.file(ref, path), "file", `${ref}/${path}`, `svc pack files ${ref}`);
				return writeFile(context.stdout, file);
			}
			const { files } = await orNotFound(client.get(ref), "pack", ref, "svc pack list");
			const records = files.map((file) => ({ path: file }));
			await printList({ items: records, total: records.length, limit: undefined }, ["path"], options, context);
		},
	);
	for (const command of [showPacks, showFiles]) withNames(command, { path: "/packs", name: "ref" });

	packs
		.addRun<RegisterOptions, [packs: readonly string[]]>(
			"register [packs...]",
			"Reload packs from their files without a restart, by default all packs.",
			async (open, options, refs) => {
				const counts = await (await open()).register({
					...(refs.length > 0 && { packs: refs }),
					...(options.types !== undefined && { types: parseCommaList(options.types) }),
					...(options.skipBroken === true && { fail_on_failure: false }),
				});
				await printRecord(counts, Object.keys(counts), options, context);
			},
		)
		.option("--types <types>", "kinds of content to reload, separated by commas, such as actions,rules")
		.option("--skip-broken", "skip invalid files instead of failing without a change");
	withExamples(group, {
		list: ["svc pack list"],
		get: ["svc pack get core"],
		files: ["svc pack files core", "svc pack files core pack.yaml"],
		register: ["svc pack register", "svc pack register site --types actions,rules"],
	});
};

/** Returns a table row with the installed commit and, for a followed pack, its state. */
function toRow(pack: PackRecord): object {
	const commit = pack.source?.["commit"];
	// The commit of archives and directories begins with "sha256:".
	return {
		...pack,
		commit: typeof commit === "string" ? commit.replace(/^((?:sha256:)?.{10}).*$/s, "$1") : undefined,
		followed: pack.followed?.["state"],
	};
}

/**
 * Writes a file unchanged to files and pipes. On a terminal, control sequences are filtered, because the author of the pack is not trusted
 * with the terminal.
 */
function writeFile(stream: Writable, file: Uint8Array): Promise<void> {
	if ("isTTY" in stream && stream.isTTY === true) return writeOutput(stream, Buffer.from(file).toString("utf8"));
	return new Promise((resolve) => stream.write(file, () => resolve()));
}
