/** Settings of the user that are stored in this browser. If the browser denies storage, they last until the page is closed. */
class Preferences {
	readonly #kept = new Map<string, unknown>();

	/**
	 * Returns a stored setting, or undefined if `isRight` rejects its value. An earlier version, or the user, may have stored an invalid
	 * value.
	 */
	get<T>(name: string, isRight: (value: unknown) => value is T): T | undefined {
		const value = this.#kept.has(name) ? this.#kept.get(name) : this.#read(name);
		return isRight(value) ? value : undefined;
	}

	set(name: string, value: unknown): void {
		this.#kept.set(name, value);
		try {
			localStorage.setItem(`svc.${name}`, JSON.stringify(value));
		} catch {
			// The storage is full, or the browser denies access to it.
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
