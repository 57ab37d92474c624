// Stores output on PostgreSQL as the service writes it, eight chunks of 64 KiB a commit, and reads it back in pages of 1 MiB: MiB/s, and the
// room it takes. `form`: `rows` is a row with its text for each chunk, in one statement a commit; `objects` a large object for the output and a
// row without text, which says where in it each chunk is.
import postgres from "postgres";

const { url, form, mebibytes } = JSON.parse(process.argv[2]);

const chunkLength = 65_536;
const chunksOfWrite = 8;
const chunksOfPage = 16;
const count = (mebibytes * 1_048_576) / chunkLength;
const sql = postgres(url, { max: 1, onnotice: () => undefined });

/** Lines as programs print them: alike, but not the same. */
function toText(sequence) {
	let text = "";
	for (let line = 0; text.length < chunkLength; line++) {
		const number = Math.imul(sequence * 1_000 + line, 2_654_435_761) >>> 0;
		text += `2031-03-04T09:15:02.518Z worker-${number % 17} request ${number.toString(16)} took ${number % 997} ms, status ${200 + (number % 5)}\n`;
	}
	return text.slice(0, chunkLength);
}

const rows = {
	async store(sequences, texts) {
		await sql`insert into chunks select * from unnest(${sql.array(sequences, 20)}::bigint[], ${sql.array(texts, 25)}::text[])`;
	},
	async read(after) {
		const page = await sql`select data from chunks where sequence > ${after} order by sequence limit ${chunksOfPage}`;
		return page.reduce((sum, { data }) => sum + data.length, 0);
	},
};

let object;
const objects = {
	async store(sequences, texts) {
		const bytes = Buffer.from(texts.join(""));
		const offset = (sequences[0] - 1) * chunkLength;
		await sql.begin((line) => [
			line`select lo_put(${object}, ${offset}, ${bytes})`,
			line`insert into chunks select * from unnest(${sql.array(sequences, 20)}::bigint[])`,
		]);
	},
	async read(after) {
		const [{ data }] = await sql`select lo_get(${object}, ${after * chunkLength}, ${chunksOfPage * chunkLength}) as data`;
		return data.toString("utf8").length;
	},
};

const store = form === "objects" ? objects : rows;
await sql.unsafe(`create table chunks (sequence bigint primary key, data text${form === "lz4" ? " compression lz4" : ""})`);
[{ object }] = await sql`select lo_create(0) as object`;
const texts = Array.from({ length: 64 }, (_none, number) => toText(number));

const begun = performance.now();
for (let sequence = 1; sequence <= count; sequence += chunksOfWrite) {
	const sequences = Array.from({ length: chunksOfWrite }, (_none, index) => sequence + index);
	await store.store(
		sequences,
		sequences.map((one) => texts[one % texts.length]),
	);
}
const written = (performance.now() - begun) / 1_000;
const readFrom = performance.now();
let length = 0;
for (let after = 0; after < count; after += chunksOfPage) length += await store.read(after);
const read = (performance.now() - readFrom) / 1_000;
if (length !== count * chunkLength) throw new Error(`${length} of ${count * chunkLength} characters were read`);
const [{ size }] = await sql`select pg_total_relation_size('chunks') + pg_total_relation_size('pg_largeobject') as size`;
const { user, system } = process.cpuUsage();
await sql`select lo_unlink(${object})`;
await sql.unsafe("drop table chunks");
await sql.end();
process.stdout.write(
	`${JSON.stringify({ written: mebibytes / written, read: mebibytes / read, size: Number(size) / 1_048_576, time: (user + system) / 1e6 })}\n`,
);
process.stdin.resume();
