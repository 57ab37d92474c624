/** Reads something anew for whoever asks, but once for all who ask while the read before is under way. */
export class FreshRead<T> {
	readonly #read: () => Promise<T>;
	#underWay: Promise<T> | undefined;
	#next: Promise<T> | undefined;

	constructor(read: () => Promise<T>) {
		this.#read = read;
	}

	/** What is there now or later: a read that has begun may have missed it. */
	get(): Promise<T> {
		if (this.#underWay === undefined) return this.#begin();
		const begin = () => {
			this.#next = undefined;
			return this.#begin();
		};
		return (this.#next ??= this.#underWay.then(begin, begin));
	}

	#begin(): Promise<T> {
		const reading = this.#read().finally(() => {
			if (this.#underWay === reading) this.#underWay = undefined;
		});
		this.#underWay = reading;
		return reading;
	}
}
