/** One of several that wait for the same places. */
export interface Party {
	/** Whether it would take some. */
	readonly waits: () => boolean;
	/** Let it take what it needs of those that are free. */
	readonly look: () => Promise<void>;
}

/** Lets several have the places that are free, so that none takes every place for ever. */
export class PlaceTurns {
	/** Whoever has not been first for the longest time comes first. */
	#parties: readonly Party[];

	constructor(parties: readonly Party[]) {
		this.#parties = parties;
	}

	/** Each looks once; first is, of those that wait, who has not been for the longest time. Only where there are places is that an advantage. */
	async look({ hasPlaces }: { readonly hasPlaces: boolean }): Promise<void> {
		const first = this.#parties.find(({ waits }) => waits());
		const others = this.#parties.filter((party) => party !== first);
		if (hasPlaces && first !== undefined) this.#parties = [...others, first];
		for (const party of first === undefined ? others : [first, ...others]) await party.look();
	}
}
