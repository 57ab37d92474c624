const turns = new Map<string, Promise<unknown>>();

/** Do what must not happen side by side under one key, in the order in which it was asked for. Gives the work's own result or error. */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
	const turn = (turns.get(key) ?? Promise.resolve()).then(work, work);
	turns.set(key, turn);
	try {
		return await turn;
	} finally {
		if (turns.get(key) === turn) turns.delete(key);
	}
}
