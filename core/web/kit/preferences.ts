/** What somebody has set up in this browser. Browsers may forbid to keep it: then it lasts as long as the page. */
class Preferences {
	readonly #kept = new Map<string, unknown>();

	/** What was kept under a name, where it is what `isRight` says: somebody, or an earlier version, may have written anything there. */
	get<T>(name: string, isRight: (value: unknown) => value is T): T | undefined {
		const value = this.#kept.has(name) ? this.#kept.get(name) : this.#read(name);
		return isRight(value) ? value : undefined;
	}

	set(name: string, value: unknown): void {
		this.#kept.set(name, value);
		try {
			localStorage.setItem(`svc.${name}`, JSON.stringify(value));
		} catch {
			// Full, or forbidden.
		}
	}

	#read(name: string): unknown {
		try {
			return JSON.parse(localStorage.getItem(`svc.${name}`) ?? "null");
		} catch {
			return undefined;
		}
	}
}

export const preferences = new Preferences();
