/** Whether a version lies in a range such as `>=3.0.0, <4.0.0`. What is not understood is no reason to refuse. */
export function isInRange(version: string, range: string): boolean {
	return range.split(",").every((condition) => {
		const match = /^\s*(>=|<=|>|<|==|=|!=)\s*v?(\d+(?:\.\d+){0,2})\s*$/.exec(condition);
		if (match === null) return true;
		const order = compareVersions(version, match[2] ?? "");
		switch (match[1]) {
			case ">=":
				return order >= 0;
			case "<=":
				return order <= 0;
			case ">":
				return order > 0;
			case "<":
				return order < 0;
			case "!=":
				return order !== 0;
			default:
				return order === 0;
		}
	});
}

function compareVersions(a: string, b: string): number {
	const left = a.split(".").map(Number);
	const right = b.split(".").map(Number);
	for (let index = 0; index < 3; index++) {
		const difference = (left[index] ?? 0) - (right[index] ?? 0);
		if (difference !== 0) return difference;
	}
	return 0;
}
