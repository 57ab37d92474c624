/** Milliseconds of budgeted work in one turn of the event loop. Further work waits for another turn. */
const maxMsPerTurn = 5;

/** Milliseconds of work that this turn of the event loop has already done. */
let spentMs = 0;
let isTurnScheduled = false;
const waiters: (() => void)[] = [];

/** Records work that has blocked this turn of the event loop. */
export function recordLoopWork(milliseconds: number): void {
	spentMs += milliseconds;
	scheduleTurn();
}

/**
 * Returns undefined if this turn of the event loop has time left, otherwise a promise for a later turn. Callers await it before slow work
 * on templates, patterns or schemas of users, if they can wait. Each unit of such work is bounded. Without this budget, many units in a row
 * would still delay all other requests.
 */
export function waitForLoopBudget(): Promise<void> | undefined {
	if (spentMs < maxMsPerTurn && waiters.length === 0) return undefined;
	scheduleTurn();
	return new Promise((resolve) => {
		waiters.push(resolve);
	});
}

function scheduleTurn(): void {
	if (isTurnScheduled) return;
	isTurnScheduled = true;
	setImmediate(() => void startWaiters());
}

/** Starts waiting work one unit after the other until the budget of the turn is used up. The rest waits until sockets have been served. */
async function startWaiters(): Promise<void> {
	isTurnScheduled = false;
	spentMs = 0;
	const startedAt = performance.now();
	while (spentMs < maxMsPerTurn && performance.now() - startedAt < maxMsPerTurn) {
		const next = waiters.shift();
		if (next === undefined) return;
		next();
		// Runs after the promises between the waiter and its work, so that the time of this work is already recorded.
		await new Promise<void>((resolve) => process.nextTick(resolve));
	}
	if (waiters.length > 0) scheduleTurn();
}
