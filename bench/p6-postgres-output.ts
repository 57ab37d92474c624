import type { Benchmark } from "./harness/benchmark.ts";
import { runChild } from "./harness/child.ts";
import { startDurablePostgres } from "./harness/postgres.ts";

export const benchmark: Benchmark = {
	id: "P6",
	title: "output on PostgreSQL, 512 KiB a commit: a large object with an index of rows ÷ rows that hold the text",
	goals: [
		{ name: "written", label: "MiB/s stored ÷ MiB/s stored", direction: "at least", limits: [] },
		{ name: "read", label: "MiB/s read ÷ MiB/s read", direction: "at least", limits: [] },
		{ name: "size", label: "room on the disk ÷ room on the disk", direction: "at most", limits: [] },
	],
	async run(round) {
		const server = await round.use("server", () => startDurablePostgres());
		const mebibytes = round.quick ? 8 : 512;
		const measure = async (form: Form): Promise<Figures> => {
			const database = await server.createDatabase();
			try {
				return (await runChild("store-output.mjs", { input: { url: database.url, form, mebibytes } })) as Figures;
			} finally {
				await database.drop();
			}
		};
		const [objects, rows] = await round.alternate(
			() => measure("objects"),
			() => measure("rows"),
		);
		return {
			values: { written: objects.written / rows.written, read: objects.read / rows.read, size: objects.size / rows.size },
			detail: `large object: ${describe(objects)}; rows: ${describe(rows)}`,
		};
	},
};

type Form = "objects" | "rows";

interface Figures {
	/** MiB a second. */
	readonly written: number;
	readonly read: number;
	/** MiB on the disk. */
	readonly size: number;
	/** Seconds of the client's processor time. */
	readonly time: number;
}

function describe({ written, read, size, time }: Figures): string {
	return `${written.toFixed(0)} MiB/s stored, ${read.toFixed(0)} MiB/s read, ${size.toFixed(0)} MiB on the disk, ${time.toFixed(1)} s CPU of the client`;
}
