/** `YYYY-MM-DDTHH:MM:SS.ffffffZ` for microseconds since 1970. */
export function toTimestamp(microseconds: number): string {
	const whole = Math.floor(microseconds);
	const second = Math.floor(whole / 1_000_000);
	return `${new Date(second * 1_000).toISOString().slice(0, -4)}${String(whole - second * 1_000_000).padStart(6, "0")}Z`;
}
