import type { HttpFeature, Kernel } from "svc-automation/feature";
import { Board } from "./board.ts";
import "./note.ts";
import { routes } from "./routes.ts";
import { Sweep } from "./sweep.ts";
import { notePosted } from "./trigger-type.ts";

/** A board with notes. */
export function createBoard(kernel: Kernel, { interval = 60_000 } = {}): HttpFeature<{ readonly board: Board }> {
	const board = new Board(kernel);
	return { api: { board }, triggerTypes: [{ type: notePosted }], loops: [["timers", new Sweep(board, interval)]], routes };
}
