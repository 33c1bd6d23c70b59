/* An addon of Node.js without its headers: each time it is loaded, it gives the memory that malloc keeps, but nobody uses, back to Linux. */
#include <malloc.h>

void *napi_register_module_v1(void *env, void *exports) {
	malloc_trim(0);
	return exports;
}
