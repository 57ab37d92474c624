/** Milliseconds of work on foreign texts in one turn of the event loop after which more of it waits for another turn. */
const enough = 5;

/** In this turn. */
let spent = 0;
let isPlanned = false;
const waiting: (() => void)[] = [];

/** Account for work that has held up this turn of the event loop. */
export function noteWork(milliseconds: number): void {
	spent += milliseconds;
	plan();
}

/**
 * To be awaited before work on foreign texts that may be slow, where its result allows it: undefined while this turn of the event
 * loop has room, else a promise for a turn of its own. Each such piece is bounded, but many at once would come one after another
 * before anybody else is answered.
 */
export function roomInTurn(): Promise<void> | undefined {
	if (spent < enough && waiting.length === 0) return undefined;
	plan();
	return new Promise((resolve) => {
		waiting.push(resolve);
	});
}

function plan(): void {
	if (isPlanned) return;
	isPlanned = true;
	setImmediate(() => void begin());
}

/** As many of those that wait as there is room for, one after the other; the others after the sockets. */
async function begin(): Promise<void> {
	isPlanned = false;
	spent = 0;
	const began = performance.now();
	while (spent < enough && performance.now() - began < enough) {
		const next = waiting.shift();
		if (next === undefined) return;
		next();
		// Behind the promises that stand between it and its work, so that it is known what that has taken.
		await new Promise<void>((resolve) => process.nextTick(resolve));
	}
	if (waiting.length > 0) plan();
}
