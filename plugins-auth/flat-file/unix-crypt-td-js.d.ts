declare module "unix-crypt-td-js" {
	function desCrypt(password: readonly number[], salt: string): string;
	export = desCrypt;
}
