/** What `promise` resolves with; undefined when that takes longer than `milliseconds`, or it rejects. */
export function atHand<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
	return new Promise((resolve) => {
		const timer = setTimeout(() => resolve(undefined), milliseconds);
		const settle = (value: T | undefined) => {
			clearTimeout(timer);
			resolve(value);
		};
		promise.then(settle, () => settle(undefined));
	});
}
