import * as assert from "node:assert/strict";
import { test } from "uvu";
import { maxPooledTextLength } from "../../lib/bytes/pooled-text.ts";
import { getSystemClock } from "../basics/clock.ts";
import { type OutputPiece, PooledChunkAssembler, StringChunkAssembler } from "./chunk-assembler.ts";

const clock = getSystemClock();
const toReleased = (data: string) => ({ data, secretRanges: [], tokenRanges: [] });

const toText = (piece: OutputPiece) => (piece.pooled === undefined ? piece.data : piece.pooled.text);

for (const Assembler of [StringChunkAssembler, PooledChunkAssembler]) {
	/** What becomes of texts that come faster than they are stored. */
	function toChunks(texts: readonly string[]): readonly string[] {
		const waiting = new Assembler(clock);
		for (const text of texts) waiting.add("stdout", toReleased(text));
		const chunks: string[] = [];
		while (waiting.length > 0) chunks.push(...waiting.take().map(toText));
		return chunks;
	}

	test(`${Assembler.name}: text that is a little longer than a chunk stays whole`, () => {
		const texts = Array.from({ length: 20 }, (_, index) => "x".repeat(65_500 + index * 10));
		assert.deepEqual(toChunks(texts), texts);
	});

	test(`${Assembler.name}: a long text is cut at ends of lines`, () => {
		const text = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join("");
		const chunks = toChunks([text]);
		assert.equal(chunks.join(""), text);
		assert.ok(chunks.length <= Math.ceil(text.length / 65_000), `${chunks.length} chunks`);
		for (const chunk of chunks) assert.ok(chunk.endsWith("\n") && chunk.length <= 81_920);
	});

	test(`${Assembler.name}: a long line is cut where a chunk is full, but not within a character`, () => {
		const text = `x${"🔑".repeat(200_000)}`;
		const chunks = toChunks([text]);
		assert.equal(chunks.join(""), text);
		for (const chunk of chunks) assert.ok(!/\p{Surrogate}/u.test(chunk) && chunk.length <= 81_920);
	});

	test(`${Assembler.name}: secrets are marked at their places in each part`, () => {
		const waiting = new Assembler(clock);
		const data = `${"a".repeat(60_000)}\n${"b".repeat(60_000)}`;
		waiting.add("stdout", { data, secretRanges: [10, 20, 59_990, 60_010], tokenRanges: [] });
		assert.deepEqual(
			waiting.take().map((piece) => [toText(piece).length, piece.ranges]),
			[
				[60_001, [10, 20, 59_990, 60_001]],
				[60_000, [0, 9]],
			],
		);
	});

	test(`${Assembler.name}: bytes of a flood fill pages, which are cut at ends of lines and keep the order with texts between them`, () => {
		const waiting = new Assembler(clock);
		const line = `${"0123456789".repeat(8)}\n`;
		const text = line.repeat(Math.ceil((3 * maxPooledTextLength) / line.length));
		waiting.addBytes("stdout", Buffer.from(text));
		waiting.add("stdout", toReleased("between\n"));
		waiting.addBytes("stderr", Buffer.from(line));
		waiting.addBytes("stdout", Buffer.from(line));
		waiting.addBytes("stdout", Buffer.from(line));
		assert.equal(waiting.length, text.length + 8 + 3 * line.length);
		const pieces: OutputPiece[] = [];
		while (waiting.length > 0) pieces.push(...waiting.take());
		assert.equal(waiting.length, 0);
		const texts = pieces.map(toText);
		assert.equal(texts.join(""), `${text}between\n${line.repeat(3)}`);
		assert.ok(texts.every((one) => one.endsWith("\n") && one.length <= maxPooledTextLength));
		assert.deepEqual(texts.slice(-3), ["between\n", line, line.repeat(2)]);
		for (const { pooled } of pieces) pooled?.release();
	});
}

test.run();
